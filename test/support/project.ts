import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

const bin = resolve(import.meta.dirname, '../../dist/bin.cjs');
if (!existsSync(bin)) throw new Error('dist/ is not built: run `npm run build` (npm test does)');

const made: string[] = [];
process.on('exit', () => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

export interface CliEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own with the real command line in a child process, and an environment that inherits nothing. */
export class Project {
  readonly dir: string;
  /** Vaults and evidence of this project alone, outside of it. */
  readonly stateHome: string;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.dir = mkdtempSync(join(tmpdir(), 'autoresearch-cli-'));
    this.stateHome = `${this.dir}.state`;
    made.push(this.dir, this.stateHome);
    for (const [path, content] of Object.entries(files)) this.write(path, content);
  }

  write(path: string, content: string): void {
    const file = join(this.dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  read(path: string): string {
    return readFileSync(join(this.dir, path), 'utf8');
  }

  exists(path: string): boolean {
    return existsSync(join(this.dir, path));
  }

  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    return spawn(process.execPath, [bin, ...args], {
      cwd: this.dir,
      env: { PATH: process.env.PATH ?? '', HOME: this.dir, XDG_STATE_HOME: this.stateHome, LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  run(...args: readonly string[]): Promise<CliEnd> {
    return ended(this.start(args));
  }

  /** The newest run's journal, one object a line; of one that is being written, the lines that are whole. */
  journal(agentId = 'default'): Record<string, unknown>[] {
    const runs = join(this.dir, '.autoresearch', agentId, 'runs');
    const newest = readdirSync(runs).sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))[0]!;
    const text = readFileSync(join(runs, newest, 'journal.jsonl'), 'utf8');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** Every file with its size and times, to show that nothing changed. */
  snapshot(): Record<string, string> {
    const found: Record<string, string> = {};
    const walk = (folder: string): void => {
      for (const name of readdirSync(folder).sort()) {
        const path = join(folder, name);
        const { size, mtimeMs, ctimeMs, mode } = statSync(path);
        found[relative(this.dir, path)] = `${size} ${mtimeMs} ${ctimeMs} ${mode}`;
        if (statSync(path).isDirectory()) walk(path);
      }
    };
    walk(this.dir);
    return found;
  }
}

export function ended(child: ChildProcess): Promise<CliEnd> {
  const out = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    out.stderr += text;
  });
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => done({ code, ...out }));
  });
}

/** A YAML config with these stages; each is a `command` unless it says otherwise. */
export const configYaml = (stages: string, head = 'name: study'): string =>
  `${head}\nstages:\n${stages.replace(/^/gm, '  ')}\n`;
