import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CommandOptions, PrintedEnd, StageContext, StageFacts } from 'autoresearch';
import { checkFile } from '../../src/adapters/behaviours/output-schema.js';
import { loadValues } from '../../src/values/load-values.js';
import { sha256 } from '../support/sha256.js';
import { type Effect, recordingContext } from './recording-context.js';

// A shim in front of it may take many times as long as the interpreter itself.
const python = dirname(
  execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim(),
);

const made: string[] = [];
process.on('exit', () => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

export interface RealContext extends StageContext {
  readonly effects: Effect[];
  readonly dir: string;
  /** What it logged, a line each. */
  readonly lines: () => string[];
}

type Texts = Readonly<Record<string, string>>;

/** Real files in a folder of their own and real processes, for a behaviour by itself. */
export function realContext(
  files: Readonly<Record<string, string>>,
  { facts = {}, env = {}, changed = {} }: { facts?: Partial<StageFacts>; env?: Texts; changed?: Texts } = {},
): RealContext {
  const dir = mkdtempSync(join(tmpdir(), 'autoresearch-stage-'));
  made.push(dir);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  const context = recordingContext({ facts, changed });
  const real: RealContext = {
    ...context,
    dir,
    cwd: dir,
    lines: () => context.effects.flatMap((effect) => (effect.kind === 'log' ? [effect.line] : [])),
    command: (async (run: string | readonly string[], options: CommandOptions = {}): Promise<PrintedEnd> => {
      const [program, ...words] = typeof run === 'string' ? ['sh', '-c', run] : run;
      const { status, stdout, stderr, error } = spawnSync(program!, words, {
        cwd: dir,
        encoding: 'utf8',
        env: { PATH: `${python}:${process.env.PATH ?? ''}`, HOME: dir, ...env, ...options.env },
      });
      if (error) throw error;
      const printed = { stdout, stderr, isCut: false, exitCode: status ?? -1 };
      if (status === 0) return { ok: true, ...printed };
      return { ok: false, failure: { code: 'command-failed', exitCode: status ?? -1 }, ...printed };
    }) as StageContext['command'],
    listFiles: (patterns) => patterns.filter((path) => existsSync(join(dir, path))),
    readFile: async (path) => readFileSync(join(dir, path), 'utf8'),
    fileFacts: (path) =>
      existsSync(join(dir, path))
        ? { sizeBytes: statSync(join(dir, path)).size, isOlder: false, madeBy: 'earlier' }
        : undefined,
    digest: (path) => (existsSync(join(dir, path)) ? sha256(readFileSync(join(dir, path))) : undefined),
    async writeFile(path, content) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), content);
    },
    schemaProblem: (path, schema) => checkFile(join(dir, path), join(dir, schema)),
    readValues: (wish) => loadValues(wish, real),
  };
  return real;
}
