import { type ChildProcess, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type CliEnd, Project } from '../support/project.js';

export interface TreeSketch {
  /** Task → what its agent does, in shell, before it says that it is done. Also the stages, where none are given. */
  readonly agents: Readonly<Record<string, string>>;
  /** Added to every stage that is made of the agents. */
  readonly stage?: object;
  readonly stages?: object;
  readonly more?: object;
  /** In the first commit. */
  readonly files?: Readonly<Record<string, string>>;
  readonly ignored?: string;
  /** Where the project is inside of the repository. */
  readonly inside?: string;
}

const besides: string[] = [];
process.on('exit', () => {
  for (const path of besides) rmSync(path, { recursive: true, force: true });
});

/** A study in a repository of its own, whose agents work in worktrees. */
export class TreeStudy extends Project {
  readonly inside: string;

  constructor({ agents, stage, stages, more, files, ignored = '', inside = '' }: TreeSketch) {
    super();
    this.inside = inside;
    besides.push(this.asked, this.home);
    const own = Object.keys(agents).filter((name) => !name.includes(':'));
    const config = {
      name: 'study',
      agents: { coder: { backend: 'command', run: './coder.sh', limits: { timeout: '60s' } } },
      stages: stages ?? Object.fromEntries(own.map((name) => [name, isolated({ outputs: [`${name}.txt`], ...stage })])),
      ...more,
    };
    const cases = Object.entries(agents).map(([task, script]) => `'${task}')\n${script}\n;;`);
    this.put('autoresearch.config.json', JSON.stringify(config, null, 2));
    this.put(
      'coder.sh',
      `#!/bin/sh\necho "$AUTORESEARCH_TASK" >> "${this.asked}"\nsummary="did $AUTORESEARCH_TASK"\ncase "$AUTORESEARCH_TASK" in\n${cases.join('\n')}\nesac\nprintf '%s\\n' '{"outcome":"done","summary":"'"$summary"'"}'\n`,
    );
    chmodSync(join(this.root, 'coder.sh'), 0o755);
    for (const [path, text] of Object.entries(files ?? {})) this.put(path, text);
    this.write('.gitignore', `.autoresearch/\nlogs/\n${ignored}`);
    this.git('init', '-q', '-b', 'main');
    this.git('config', 'user.name', 'Person');
    this.git('config', 'user.email', 'person@example.invalid');
    this.commit('first');
  }

  /** The project folder. */
  get root(): string {
    return join(this.dir, this.inside);
  }

  /** Outside of everything that is watched. */
  get asked(): string {
    return `${this.dir}.asked`;
  }

  /** Where copies of protected files go. */
  get home(): string {
    return `${this.dir}.home`;
  }

  override start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    return super.start(args, { HOME: this.home, ...env });
  }

  /** Which agents were asked, in this order. */
  timesAsked(): string[] {
    return existsSync(this.asked) ? execFileSync('cat', [this.asked], { encoding: 'utf8' }).trim().split('\n') : [];
  }

  /** A file of the project. */
  put(path: string, text: string): void {
    this.write(join(this.inside, path), text);
  }

  get(path: string): string {
    return this.read(join(this.inside, path));
  }

  has(path: string): boolean {
    return this.exists(join(this.inside, path));
  }

  git(...args: string[]): string {
    return this.gitIn(this.dir, ...args);
  }

  gitIn(folder: string, ...args: string[]): string {
    return execFileSync('git', args, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: this.dir },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  }

  commit(message: string): void {
    this.git('add', '.');
    this.git('commit', '-qm', message);
  }

  exec(...args: string[]): Promise<CliEnd> {
    return this.run('exec', '--reporter', 'plain', ...this.folder, ...args);
  }

  /** Nothing unless the project is deeper in the repository. */
  get folder(): string[] {
    return this.inside === '' ? [] : ['--config', join(this.inside, 'autoresearch.config.json')];
  }

  /** Where worktrees are. */
  get trees(): string {
    return join(this.root, '.autoresearch/default/worktrees');
  }

  treeFolders(): string[] {
    return existsSync(this.trees) ? readdirSync(this.trees) : [];
  }

  refs(): string[] {
    return this.git('for-each-ref', '--format=%(refname)').split('\n').filter(Boolean);
  }

  status(): string {
    return this.git('status', '--porcelain');
  }

  /** First lines of the messages in the history of what is checked out, newest first. */
  subjects(...args: string[]): string[] {
    return this.git('log', '--format=%s', ...args).split('\n');
  }

  /** Files of a commit. */
  filesOf(commit = 'HEAD'): string[] {
    return this.git('ls-tree', '-r', '--name-only', commit).split('\n');
  }

  /** Commits that no name leads to. */
  lost(): string[] {
    return this.git('fsck', '--no-reflogs', '--connectivity-only')
      .split('\n')
      .filter((line) => line.startsWith('dangling commit'));
  }

  events(type: string): Record<string, unknown>[] {
    return this.journal().filter((entry) => entry.type === type);
  }

  override journal(agentId = 'default'): Record<string, unknown>[] {
    return super.journal(this.inside === '' ? agentId : `../${this.inside}/.autoresearch/${agentId}`);
  }

  /** What is left of worktrees: nothing, when all went well. */
  left(): object {
    const worktrees = this.git('worktree', 'list', '--porcelain').split('\n\n').length;
    return { folders: this.treeFolders(), refs: this.refs(), worktrees, status: this.status(), lost: this.lost() };
  }
}

export const nothingLeft = {
  folders: [] as string[],
  refs: ['refs/heads/main'],
  worktrees: 1,
  status: '',
  lost: [] as string[],
};

/** A stage whose agent works in a worktree. */
export const isolated = (stage: object): object => ({
  uses: 'agent',
  agent: 'coder',
  with: { instructions: 'x' },
  isolation: 'worktree',
  ...stage,
});
