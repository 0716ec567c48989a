import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DriverStep } from '../adapters/worktree/worktree-driver.js';
import { Driver } from './driver.js';
import { Project } from './project.js';

/** A project in a repository of its own, with a first commit. */
export class GitProject extends Project {
  constructor(files: Readonly<Record<string, string>>) {
    super({ '.gitignore': '.autoresearch/\nlogs/\nout/\n', 'a.txt': 'a\n', 'src/b.txt': 'b\n', ...files });
    this.git('init', '-q', '-b', 'main');
    this.git('config', 'user.name', 'person');
    this.git('config', 'user.email', 'person@example.invalid');
    this.git('add', '.');
    this.git('commit', '-q', '-m', 'first');
  }

  git(...args: string[]): string {
    const env = { PATH: process.env.PATH!, HOME: this.dir, GIT_CONFIG_SYSTEM: '/dev/null' };
    return execFileSync('git', args, {
      cwd: this.dir,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  }

  tree(name: string, agentId = 'default'): string {
    return join(this.dir, '.autoresearch', agentId, 'worktrees', name);
  }
}

/** Works in the worktrees of a project from a process of its own, which can be killed at any change. */
export class TreeDriver {
  readonly #driver = new Driver(fileURLToPath(new URL('../adapters/worktree/worktree-driver.ts', import.meta.url)));

  /** `kill`: see worktree-kill-at.cjs. Answers with the signal that ended it. */
  async drive(
    project: GitProject,
    steps: readonly DriverStep[],
    kill: Readonly<Record<string, string>> = {},
  ): Promise<string | null> {
    const state = join(project.dir, '.autoresearch');
    const places = {
      root: project.dir,
      dir: join(state, 'default/worktrees'),
      mutexFile: join(state, 'worktrees.lock'),
    };
    const preload = fileURLToPath(new URL('../adapters/worktree/worktree-kill-at.cjs', import.meta.url));
    const child = spawn(
      process.execPath,
      ['--require', preload, join(this.#driver.folder, 'driver.mjs'), JSON.stringify({ ...places, steps })],
      {
        env: { PATH: process.env.PATH!, HOME: project.dir, ...kill },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let stderr = '';
    child.stderr.on('data', (text) => (stderr += text));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (signal === null && code !== 0) throw new Error(stderr);
    return signal;
  }

  close(): void {
    this.#driver.close();
  }
}
