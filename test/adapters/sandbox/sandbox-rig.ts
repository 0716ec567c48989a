import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { createCommandRunner } from '../../../src/adapters/command/command-runner.js';
import { type FencedCommand, fencedCommand } from '../../../src/adapters/sandbox/sandbox-command.js';
import type { Fence } from '../../../src/adapters/sandbox/sandbox-fence.js';
import { sandboxLevel } from '../../../src/adapters/sandbox/sandbox-level.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { CommandExit, CommandRunner, CommandSpec } from '../../../src/model/ports.js';

export const env = { PATH: process.env.PATH ?? '' };
const found = await sandboxLevel(env);
/** Undefined where there is no bubblewrap that works; then only the pure parts can be tried. */
export const bwrap = found.level === 'bwrap' ? found.program : undefined;

export const runnerOf = (kind: 'warden' | 'direct', graceMs = 5000): CommandRunner =>
  createCommandRunner({ clock: systemClock, env: { ...env, AUTORESEARCH_RUNNER: kind }, maxSlots: 2, graceMs });

export interface Ended {
  readonly exit: CommandExit;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project with something to protect, something to hide and something to write. */
export class SandboxRig {
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly state: string;
  readonly call: string;
  readonly #runner: CommandRunner;
  #logs = 0;

  constructor(runner: CommandRunner, below = tmpdir()) {
    this.#runner = runner;
    this.base = mkdtempSync(join(below, 'sandbox-'));
    this.root = join(this.base, 'project');
    this.home = join(this.base, 'home');
    this.state = join(this.root, '.autoresearch');
    this.call = join(this.state, 'run', 'call');
    this.file('project/src/open.txt', 'open\n');
    this.file('project/src/guarded.txt', secret);
    this.file('project/src/deep/er/guarded.txt', secret);
    this.file('project/eval/score.py', secret);
    this.file('project/.autoresearch/journal.jsonl', secret);
    this.file('project/.autoresearch/run/call/prompt.md', 'the prompt\n');
    this.file('home/.tool/session', 'old\n');
    this.file('home/.gitconfig', secret);
    mkdirSync(join(this.call, 'tmp'));
  }

  file(name: string, content: string): string {
    const path = join(this.base, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  read(name: string): string {
    return readFileSync(join(this.base, name), 'utf8');
  }

  fence(own: Partial<Fence> = {}): Fence {
    const guarded = ['src/guarded.txt', 'src/deep/er/guarded.txt', 'eval'].map((name) => join(this.root, name));
    return {
      ...{ root: this.root, cwd: this.root, home: this.home, homeFolders: [join(this.home, '.tool')] },
      ...{ writable: [join(this.root, 'src')], readOnly: guarded, hidden: [this.state] },
      ...{ visible: [join(this.call, 'prompt.md'), join(this.call, 'tmp')], ...own },
    };
  }

  spec(run: CommandSpec['run'], own: Partial<CommandSpec> = {}): CommandSpec {
    const log = join(this.base, `log-${++this.#logs}`);
    const files = { stdoutFile: `${log}.out`, stderrFile: `${log}.err`, stdinFile: join(this.call, 'prompt.md') };
    for (const file of [files.stdoutFile, files.stderrFile]) writeFileSync(file, '');
    return { run, cwd: this.root, env: { HOME: this.home }, ...files, ...own };
  }

  fenced(spec: CommandSpec, own: Partial<Fence> = {}): FencedCommand {
    const fenced = fencedCommand(spec, { fence: this.fence(own), bwrap: bwrap ?? '', path: env.PATH });
    if (!fenced.ok) throw new Error(JSON.stringify(fenced.error));
    return fenced.value;
  }

  async run(run: CommandSpec['run'], own: Partial<Fence> = {}): Promise<Ended> {
    const { spec, release } = this.fenced(this.spec(run), own);
    try {
      const exit = await this.#runner.start(spec).exit;
      return { exit, stdout: readFileSync(spec.stdoutFile, 'utf8'), stderr: readFileSync(spec.stderrFile, 'utf8') };
    } finally {
      release();
    }
  }

  /** Everything that nothing inside may change is as it was. */
  expectWhole(): void {
    const guarded = ['project/src/guarded.txt', 'project/src/deep/er/guarded.txt', 'project/eval/score.py'];
    for (const name of [...guarded, 'project/.autoresearch/journal.jsonl', 'home/.gitconfig'])
      expect([name, this.read(name)]).toEqual([name, secret]);
    expect(this.read('project/.autoresearch/run/call/prompt.md')).toBe('the prompt\n');
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

export const secret = 'nobody changes this\n';
