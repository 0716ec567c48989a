import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.js';
import type { StartOptions } from './crash-room.js';

const isRoot = process.getuid?.() === 0;
const unshare = isRoot ? ['unshare', '--mount'] : ['unshare', '--map-root-user', '--mount'];

/** Why there can be no small disk here, or undefined. Mounting needs root, or a kernel that lets everybody have namespaces. */
export function whyNoSmallDisk(): string | undefined {
  const [program, ...args] = [...unshare, 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', '/mnt'];
  const tried = spawnSync(program!, args, { encoding: 'utf8' });
  if (tried.status === 0) return undefined;
  return `a tmpfs cannot be mounted: ${tried.error?.message ?? tried.stderr.trim()}`;
}

/**
 * A tmpfs of a few pages, in a mount namespace of its own that goes away with the process that keeps it: nothing stays
 * mounted when a test is killed. Seen from outside through that process.
 */
export class SmallDisk {
  readonly #keeper: ChildProcess;
  readonly #dir: string;

  private constructor(keeper: ChildProcess, dir: string) {
    this.#keeper = keeper;
    this.#dir = dir;
  }

  static async mount(dir: string, bytes: number): Promise<SmallDisk> {
    mkdirSync(dir, { recursive: true });
    const script = 'mount -t tmpfs -o size="$2" none "$1" && echo ready && read -r _';
    const [program, ...args] = [...unshare, 'sh', '-c', script, 'sh', dir, String(bytes)];
    const keeper = spawn(program!, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    let ready = false;
    keeper.stdout!.once('data', () => {
      ready = true;
    });
    await until(() => ready);
    return new SmallDisk(keeper, dir);
  }

  /** Goes in front of a path to see it as the commands there do. */
  get root(): string {
    return `/proc/${this.#keeper.pid}/root`;
  }

  get through(): NonNullable<StartOptions['through']> {
    const user = isRoot ? [] : ['--user', '--preserve-credentials'];
    return ['nsenter', ...user, `--mount=/proc/${this.#keeper.pid}/ns/mnt`, `--wd=${join(this.#dir, '..')}`];
  }

  /** Leaves room for this many pages and no more. */
  fill(pages: number): void {
    const { bfree, bsize } = statfsSync(join(this.root, this.#dir));
    if (Number(bfree) > pages) writeFileSync(this.#filler, Buffer.alloc((Number(bfree) - pages) * Number(bsize)));
  }

  makeRoom(): void {
    rmSync(this.#filler, { force: true });
  }

  remount(how: 'ro' | 'rw'): void {
    const [program, ...args] = [...this.through, 'mount', '-o', `remount,${how}`, this.#dir];
    execFileSync(program!, args);
  }

  close(): void {
    this.#keeper.stdin!.end();
  }

  get #filler(): string {
    return join(this.root, this.#dir, 'filler');
  }
}
