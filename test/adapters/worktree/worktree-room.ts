import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { openWorktrees, type Worktrees } from '../../../src/adapters/worktree/worktrees.js';

/** A repository of its own with a few files on `main`, and no configuration but what a test gives it. */
export class WorktreeRoom {
  readonly folder = mkdtempSync(join(tmpdir(), 'autoresearch-trees-'));
  readonly root = join(this.folder, 'project');
  readonly dir = join(this.folder, 'trees');
  readonly mutexFile = join(this.folder, 'mutex');
  readonly env = {
    PATH: process.env.PATH!,
    HOME: this.folder,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
  };

  constructor(files: Readonly<Record<string, string>> = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' }) {
    mkdirSync(this.root);
    this.git('init', '-q', '-b', 'main');
    this.write(this.root, { '.gitignore': 'ignored/\n.autoresearch/\n', ...files });
    this.git('add', '.');
    this.git('commit', '-q', '-m', 'first');
  }

  open(more: { readonly root?: string; readonly env?: Record<string, string> } = {}): Promise<Worktrees> {
    const { root = this.root, env = this.env } = more;
    return openWorktrees({ root, dir: this.dir, mutexFile: this.mutexFile, clock: systemClock, env });
  }

  git(...args: string[]): string {
    return this.gitIn(this.root, ...args);
  }

  gitIn(folder: string, ...args: string[]): string {
    const who = ['-c', 'user.name=person', '-c', 'user.email=person@example.invalid'];
    const stdio = ['ignore', 'pipe', 'pipe'] as ('ignore' | 'pipe')[];
    return execFileSync('git', [...who, ...args], { cwd: folder, env: this.env, encoding: 'utf8', stdio }).trimEnd();
  }

  write(folder: string, files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  }

  read(folder: string, name: string): string {
    return readFileSync(join(folder, name), 'utf8');
  }

  refs(): string[] {
    return this.git('for-each-ref', '--format=%(refname) %(objectname)').split('\n');
  }

  /** Files of worktrees that were moved aside. */
  aside(): string[] {
    const folder = join(this.dir, '.aside');
    if (!existsSync(folder)) return [];
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.map(({ parentPath, name }) => join(parentPath, name).replace(/.*\.aside\/[^/]+/, '')).sort();
  }

  /** Commits that no name leads to. */
  lost(): string[] {
    return this.git('fsck', '--no-reflogs', '--connectivity-only')
      .split('\n')
      .filter((line) => line.startsWith('dangling commit'));
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const everything = (): boolean => true;
