import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIterations } from '../../src/adapters/iteration/iteration-record.js';
import { Project } from './project.js';

/** Per iteration: the text that it writes to value.txt; the baseline measures what is committed. */
export type Values = readonly string[];

export interface LoopOptions {
  readonly iterate?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  /** More stages, or others. */
  readonly stages?: Readonly<Record<string, unknown>>;
  readonly head?: Readonly<Record<string, unknown>>;
}

const best = {
  max: 5,
  metric: { stage: 'measure', name: 'loss', better: 'lower' },
  keep: 'best',
  files: ['value.txt'],
};

/** A loop without agents: `edit` writes the next value, `train` fails on `bad`, `measure` reads the number. */
export class LoopProject extends Project {
  constructor(values: Values, { iterate = {}, files = {}, stages = {}, head = {} }: LoopOptions = {}) {
    super({
      'autoresearch.config.json': JSON.stringify({
        name: 'loop',
        ...head,
        iterate: { ...best, ...iterate },
        stages: {
          edit: { uses: 'command', with: { run: 'sh edit.sh {{iteration.number}}' }, outputs: ['value.txt'] },
          train: {
            uses: 'command',
            needs: ['edit'],
            with: { run: 'sh train.sh' },
            inputs: ['value.txt'],
            outputs: ['log.txt', 'ran'],
          },
          measure: {
            uses: 'extract',
            with: {
              to: 'result.json',
              metrics: {
                loss: { from: 'log.txt', format: 'text', pattern: 'loss=(?<loss>\\S+)', value: 'loss', pick: 'only' },
              },
            },
          },
          ...stages,
        },
      }),
      'edit.sh': `sed -n "$1p" values > value.txt\n`,
      'train.sh': `echo train "$(cat value.txt)" >> ran\ntest "$(cat value.txt)" != bad && echo "loss=$(cat value.txt)" > log.txt\n`,
      values: `${values.join('\n')}\n`,
      'value.txt': '1.0\n',
      '.gitignore':
        '.autoresearch/\nlog.txt\nresult.json\nran\nlogs/\niterations/\ninsights.md\nrecordings/\nbegun\ngo\n',
      ...files,
    });
    this.git('init', '-q', '-b', 'main');
    this.commit('first');
  }

  git(...args: string[]): string {
    const who = ['-c', 'user.name=person', '-c', 'user.email=person@example.invalid'];
    const env = {
      PATH: process.env.PATH!,
      HOME: this.dir,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
    };
    return execFileSync('git', [...who, ...args], { cwd: this.dir, env, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
  }

  commit(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
  }

  /** The subjects of the branch, newest first. */
  log(): string[] {
    return this.git('log', '--format=%s').split('\n');
  }

  rows() {
    return readIterations(this.recordFile)?.state?.rows ?? [];
  }

  get recordFile(): string {
    return join(this.dir, '.autoresearch/default/iterations.jsonl');
  }

  records(): Record<string, unknown>[] {
    return readFileSync(this.recordFile, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  verdicts(): string[] {
    return this.rows().map(({ number, verdict }) => `${number} ${verdict}`);
  }

  table(): string[][] {
    return this.read('iterations/1/results.tsv')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
  }
}
