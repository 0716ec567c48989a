import { describe, expect, it, onTestFinished } from 'vitest';
import { type ChatTurn, startFakeChat } from '../../support/fake-chat.js';
import { Study } from '../study.js';

const name = 'self-modify';
const judge = { judge: 'judge.mjs' };
const kept = [
  'constitution.md',
  'modifications.jsonl',
  'provenance/origin.json',
  'self-modification/limits.mjs',
] as const;

/** The study with a program in the place of Claude Code. */
function withCoder(as: string): Study {
  const study = new Study(name);
  study.install('claude.mjs', 'claude', { GARDENER: as });
  return study;
}

const protectedFiles = (study: Study): string[] => kept.map((path) => study.read(path));

describe('the preset self-modify, replayed', () => {
  it('answers the question, fulfils the wish, has it validated by the constitution, and records it', async () => {
    const study = new Study(name);
    const before = study.read('modifications.jsonl');
    const { code, stderr } = await study.exec('--replay');
    expect([code, stderr]).toEqual([0, '']);
    expect(study.read('reports/self-modify/analysis.md')).toBe('`greeting` in src/greeting.mjs:1.\n');
    expect(study.read('src/greeting.mjs')).toContain('Good evening');
    expect(JSON.parse(study.read('reports/self-modify/validation.json'))).toMatchObject({ verdict: 'pass' });
    const wish = JSON.parse(study.read('reports/self-modify/wish.json'));
    expect(wish).toMatchObject({
      wish: 'Let the greeting know the time of day.',
      fulfilled: true,
      base: study.git('rev-parse', 'HEAD'),
      files: ['src/greeting.mjs'],
      verdict: 'pass',
    });
    const log = study.read('modifications.jsonl');
    expect(log.startsWith(before)).toBe(true);
    expect(JSON.parse(log.slice(before.length))).toEqual({ time: expect.any(String), ...wish });
    expect(study.events('spend-recorded').map(({ usd }) => usd)).toEqual([0, 0, 0]);
  });
});

describe('the preset self-modify, with a coder in cli mode', () => {
  it('books what each call cost, with its turns and its session', async () => {
    const study = withCoder('works');
    expect((await study.execScripted(judge)).code).toBe(0);
    expect(study.events('spend-recorded').map(({ usd }) => usd)).toEqual([0.25, 0.25, 0.1]);
    expect(study.events('agent-completed')[1]).toMatchObject({ turns: 3, files: ['src/greeting.mjs'] });
  });

  it.each([
    ['constitution', 'constitution.md'],
    ['log', 'modifications.jsonl'],
    ['provenance', 'provenance/more.json'],
    ['limits', 'self-modification/limits.mjs'],
  ])(
    'one that touches what is protected (%s) has violated it: put back, recorded, exit code 4, not fulfilled',
    async (as, path) => {
      const study = withCoder(as);
      const before = protectedFiles(study);
      const { code, stdout, stderr } = await study.execScripted(judge);
      expect(code).toBe(4);
      expect(`${stdout}${stderr}`).toContain(path);
      expect(protectedFiles(study)).toEqual(before);
      expect(study.exists('provenance/more.json')).toBe(false);
      expect(
        study.events('protection-violated').length + study.events('agent-validation-failed').length,
      ).toBeGreaterThan(0);
      expect(study.exists('reports/self-modify/wish.json')).toBe(false);
      expect(study.events('agent-invoked').map(({ agent }) => agent)).toEqual(['coder', 'coder']);
    },
  );

  it('what the judge finds unconstitutional is not fulfilled, and not in the log', async () => {
    const study = withCoder('works');
    const before = protectedFiles(study);
    const { code, stdout } = await study.execScripted({ judge: 'judge.mjs refuses' });
    expect(code).toBe(1);
    expect(stdout).toContain('article 3: the change is not polite');
    expect(protectedFiles(study)).toEqual(before);
    expect(study.exists('reports/self-modify/wish.json')).toBe(false);
    expect(study.git('log', '--format=%s', '-1')).toBe('the study');
  });

  it('a call that could cost more than is left of the day is not made', async () => {
    const study = withCoder('works');
    const { code, stdout, stderr } = await study.execScripted(judge, '--set', 'usd_per_day=2.1');
    expect(code).toBe(5);
    expect(`${stdout}${stderr}`).toContain('2.1');
    expect(study.events('agent-invoked').map(({ task }) => task)).toEqual(['analyze']);
  });
});

describe('the preset self-modify, with the loop of our own', () => {
  const ask = async (turns: readonly ChatTurn[]) => {
    const chat = await startFakeChat();
    onTestFinished(() => chat.close());
    chat.script(turns);
    const study = new Study(name);
    study.env = { GARDENER_KEY: 'no-real-key' };
    const set = ['mode=agent', 'ask=false', `base_url=${chat.baseUrl}`, 'key_variable=GARDENER_KEY'];
    const end = await study.execScripted(judge, ...set.flatMap((one) => ['--set', one]));
    return { study, chat, ...end };
  };
  const write = (path: string, content: string): ChatTurn => ({ calls: [['write_file', { path, content }]] });
  const finish: ChatTurn = { calls: [['finish', { outcome: 'done', summary: 'the greeting knows the time of day' }]] };
  const works = `export const greeting = (hour) => (hour < 12 ? 'Good morning' : hour < 18 ? 'Good day' : 'Good evening');\n`;

  it('fulfils a wish at temperature 0.2; what is protected it cannot write', async () => {
    const turns = [write('constitution.md', 'none'), write('src/greeting.mjs', works), finish];
    const { study, chat, code, stderr } = await ask(turns);
    expect([code, stderr]).toEqual([0, '']);
    expect(chat.requests.map(({ body }) => body.temperature)).toEqual([0.2, 0.2, 0.2]);
    expect(study.read('constitution.md')).toContain('3. The system stays polite.');
    expect(JSON.parse(study.read('reports/self-modify/wish.json'))).toMatchObject({
      fulfilled: true,
      files: ['src/greeting.mjs'],
    });
  });

  it('one that changes more than 5 files is stopped', async () => {
    const many = Array.from({ length: 6 }, (_, index) => write(`src/part${index}.mjs`, 'export {};\n'));
    const { study, code, stdout } = await ask([...many, finish]);
    expect(code).toBe(1);
    expect(stdout).toContain('agent coder changed too much: src/part5.mjs would be changed too, and 5 are the most');
    expect(study.exists('src/part5.mjs')).toBe(false);
  });
});

describe('the preset self-modify, as it is set', () => {
  const coderOf = async (mode: string) => {
    const study = new Study(name);
    const { stdout } = await study.run('config', '--json', '--set', `mode=${mode}`);
    const { agents, budget } = JSON.parse(stdout);
    return { ...agents.coder, budget };
  };

  it('keeps every number of each mode', async () => {
    const all = { model: 'claude-opus-4-5', budget: { usdPerDay: 10 } };
    const limits = { timeout: '300s', usd: 2 };
    const endpoint = { baseUrl: 'https://api.anthropic.com/v1', apiKeyEnv: 'ANTHROPIC_API_KEY', temperature: 0.2 };
    expect(await coderOf('cli')).toEqual({
      ...all,
      backend: 'claude',
      path: './claude',
      tools: ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep'],
      limits: { ...limits, turns: 10 },
    });
    expect(await coderOf('agent')).toEqual({
      ...all,
      ...endpoint,
      backend: 'api',
      limits: { ...limits, turns: 15, files: 5, step: '60s' },
    });
    expect(await coderOf('auto')).toEqual({
      ...all,
      ...endpoint,
      backend: 'auto',
      limits: { ...limits, turns: 10, step: '60s', endpoint: { turns: 15, files: 5 } },
    });
  });

  it('a judge of the family of the coder is refused', async () => {
    const study = new Study(name);
    const set = ['--set', 'judge_backend=claude', '--set', 'judge_model=opus'];
    const { code, stderr } = await study.exec('--replay', ...set);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'AR320 reviewer "judge" and author "coder" are both of the family anthropic: the author would judge its own work',
    );
  });

  it('one that is not enabled asks nobody and changes nothing', async () => {
    const study = withCoder('constitution');
    const { code } = await study.execScripted(judge, '--set', 'enabled=false');
    expect([code, study.events('agent-invoked'), study.git('status', '--porcelain')]).toEqual([0, [], '']);
  });
});
