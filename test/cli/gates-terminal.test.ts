import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';
import { until } from '../support/until.js';

const bin = resolve(import.meta.dirname, '../../dist/bin.cjs');
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const sockets = mkdtempSync(join(tmpdir(), 'gate-tmux-'));
let panes = 0;

/** A program at a real terminal: a pane of a tmux server of its own. */
class Pane {
  readonly #socket = join(sockets, `s${panes++}`);

  constructor(project: Project, command: string) {
    this.#tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      '110',
      '-y',
      '40',
      '-c',
      project.dir,
      '-s',
      'p',
      'sh',
      '-c',
      command,
    );
  }

  get screen(): string {
    return this.#tmux('capture-pane', '-p', '-t', 'p');
  }

  shows(text: string | RegExp): Promise<void> {
    return until(() => (typeof text === 'string' ? this.screen.includes(text) : text.test(this.screen)));
  }

  type(...keys: readonly string[]): void {
    this.#tmux('send-keys', '-t', 'p', ...keys);
  }

  close(): void {
    spawnSync('tmux', ['-S', this.#socket, 'kill-server']);
  }

  #tmux(...args: readonly string[]): string {
    const env = { PATH: process.env.PATH, HOME: sockets, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
    return execFileSync('tmux', ['-S', this.#socket, ...args], { env, encoding: 'utf8' });
  }
}

const study = {
  name: 'study',
  stages: {
    build: {
      uses: 'command',
      with: { run: 'echo "made $AUTORESEARCH_FEEDBACK" > out.txt' },
      outputs: ['out.txt'],
      gate: 'human',
    },
    train: { uses: 'command', needs: ['build'], with: { run: 'touch trained' } },
  },
};

/**
 * Longer than it takes for a key to count as one: what is typed at once is pasted, or was typed before the question. Much longer,
 * because what a busy program has not read yet comes together with the next key.
 */
const quiet = (): Promise<void> => new Promise((done) => setTimeout(done, 1200));

const keys = 'a approve   r revise   x reject   l later';

describe.skipIf(!hasTmux)('the question at a terminal', () => {
  const open: Pane[] = [];
  afterAll(() => {
    for (const pane of open) pane.close();
    rmSync(sockets, { recursive: true, force: true });
  });

  const start = (config: object = study, redirect = ''): { project: Project; pane: Pane } => {
    const project = new Project({ 'autoresearch.config.json': JSON.stringify(config) });
    const pane = new Pane(
      project,
      `${process.execPath} ${bin} exec ${redirect}; echo "exit $?"; while :; do sleep 1; done`,
    );
    open.push(pane);
    return { project, pane };
  };
  const decided = (project: Project) => project.journal().filter(({ type }) => type === 'gate-decided');
  const asked = async (pane: Pane): Promise<void> => {
    await pane.shows(keys);
    await quiet();
  };

  it('shows what to look at, and the key approves', async () => {
    const { project, pane } = start();
    await asked(pane);
    expect(pane.screen).toMatch(/◆ build waits at its gate\n {2}out\.txt\n {2}a approve/);
    pane.type('a');
    await pane.shows('exit 0');
    expect(decided(project)).toMatchObject([{ verdict: 'pass', by: { kind: 'person' } }]);
  });

  it('sends back with words, then rejects with words', async () => {
    const { project, pane } = start();
    await asked(pane);
    pane.type('r');
    await pane.shows('What has to change?');
    pane.type('a baseline', 'Enter');
    await pane.shows('out.txt  changed since the last decision');
    expect(project.read('out.txt')).toBe('made a baseline\n');
    await quiet();
    pane.type('x');
    await pane.shows('Why?');
    pane.type('still none', 'Enter');
    await pane.shows('exit 1');
    expect(pane.screen).toContain('still none');
    expect(project.exists('trained')).toBe(false);
  });

  it.each<[string, readonly string[]]>([
    ['later', ['l']],
    ['the end of the input', ['C-d']],
    ['the end of the input where words were to come', ['r', 'C-d']],
  ])('%s is no answer: the run is saved and says how to go on', async (_, typed) => {
    const { project, pane } = start();
    await asked(pane);
    for (const key of typed) {
      pane.type(key);
      await quiet();
    }
    await pane.shows('exit 3');
    expect(pane.screen).toMatch(/autoresearch approve build --run 1-/);
    expect(decided(project)).toEqual([]);
  });

  it('neither other keys nor pasted text nor words without content decide', async () => {
    const { project, pane } = start();
    await asked(pane);
    pane.type('y', 'Enter', 'Space', 'q', 'Escape');
    await quiet();
    pane.type('-l', 'aaaa');
    await quiet();
    expect(decided(project)).toEqual([]);
    pane.type('x');
    await pane.shows('Why?');
    pane.type('Space', 'Enter');
    await pane.shows('Nothing was said, so nothing was done.');
    expect(decided(project)).toEqual([]);
    await quiet();
    pane.type('l');
    await pane.shows('exit 3');
  });

  it('stands alone, however long somebody thinks', async () => {
    const { pane } = start();
    await asked(pane);
    // Longer than anybody is left without a word of what takes so long.
    await new Promise((done) => setTimeout(done, 3000));
    expect(pane.screen.trimEnd().endsWith(keys)).toBe(true);
    pane.type('r');
    await pane.shows(/What has to change\?\s*$/);
    pane.type('nothing', 'Enter');
    await asked(pane);
    pane.type('a');
    await pane.shows('exit 0');
  });

  it('what was typed before the question was there does not answer it', async () => {
    const slow = structuredClone(study);
    slow.stages.build.with.run = `touch began; while [ ! -e go ]; do sleep 0.05; done; ${slow.stages.build.with.run}`;
    const { project, pane } = start(slow);
    await until(() => project.exists('began'));
    pane.type('a');
    project.write('go', '');
    await asked(pane);
    expect(decided(project)).toEqual([]);
    pane.type('l');
    await pane.shows('exit 3');
  });

  it('an interrupt ends the run, and leaves the question', async () => {
    const { project, pane } = start();
    await asked(pane);
    pane.type('C-c');
    await pane.shows('exit 130');
    expect(decided(project)).toEqual([]);
    const words =
      'nothing was answered: autoresearch exec asks again, autoresearch gates shows how to answer from a shell';
    expect(pane.screen.replace(/\s+/g, ' ')).toContain(words);
    expect(pane.screen).not.toContain('answered elsewhere');
  });

  it('an answer from another shell takes the question away', async () => {
    const { project, pane } = start();
    await asked(pane);
    expect(await project.run('approve', 'build')).toMatchObject({ code: 0 });
    await pane.shows('exit 0');
    expect(pane.screen).toContain('answered elsewhere');
    expect(decided(project)).toHaveLength(1);
  });

  it('with closed or redirected input nobody is asked', async () => {
    for (const redirect of ['< /dev/null', '<&-']) {
      const { project, pane } = start(study, redirect);
      await pane.shows('exit 3');
      expect(decided(project)).toEqual([]);
      expect(pane.screen).not.toContain(keys);
    }
  });

  it('a terminal that is closed is no answer', async () => {
    const { project, pane } = start();
    await asked(pane);
    pane.close();
    await until(() => project.journal().at(-1)!.type === 'run-finished');
    expect(decided(project)).toEqual([]);
    expect(project.exists('trained')).toBe(false);
  });

  it('tells somebody who may not answer that it waits, and asks them nothing', async () => {
    const theirs = structuredClone(study) as unknown as { stages: { build: { gate: object } } };
    theirs.stages.build.gate = { kind: 'human', approvers: ['somebody-else'] };
    const { project, pane } = start(theirs);
    await pane.shows('exit 3');
    expect(decided(project)).toEqual([]);
  });
});
