import { expect, test } from 'vitest';
import { configYaml, ended, Project } from '../support/project.js';

/** A behaviour of another lab that writes down what it got back. */
const behaviour = (body: string): string => `
export default {
  name: 'capturing', summary: 'Captures', version: '1',
  options: { type: 'object', additionalProperties: false, properties: {} },
  describe: () => ({ summary: 'captures' }),
  async run(_options, context) {
    const ends = await (async () => { ${body} })();
    await context.writeFile('ends.json', JSON.stringify(ends));
    return { ok: true };
  },
};`;

const captured = async (body: string, stage = ''): Promise<Record<string, unknown>[]> => {
  const project = new Project({
    'autoresearch.config.yaml': configYaml(`a: { uses: ./capturing.mjs, outputs: [ends.json]${stage} }`),
    'capturing.mjs': behaviour(body),
  });
  const { code, stderr } = await project.run('exec', '--reporter', 'plain');
  expect(code, stderr).toBe(0);
  return JSON.parse(project.read('ends.json'));
};

test('gives back what each command printed, and nothing of the others, however they are started', async () => {
  const ends = await captured(`
    const one = (n) => context.command('sleep 0.0' + (9 - n) + '; echo out' + n + '; echo err' + n + ' >&2', { capture: true });
    const loud = context.command('for i in 1 2 3 4 5 6 7 8; do echo noise; sleep 0.01; done');
    const all = await Promise.all([one(1), context.command('echo beside'), one(2), one(3), loud]);
    return [all[0], all[2], all[3]];`);
  expect(ends).toEqual(
    [1, 2, 3].map((n) => ({ ok: true, exitCode: 0, stdout: `out${n}\n`, stderr: `err${n}\n`, isCut: false })),
  );
});

test('says how a command ended that failed, was killed or was not there', async () => {
  const ends = await captured(`
    return [
      await context.command('echo half; exit 3', { capture: true }),
      await context.command('kill -9 $$', { capture: true }),
      await context.command(['no-such-program'], { capture: true }),
      await context.command('echo plain'),
    ];`);
  expect(ends).toEqual([
    {
      ok: false,
      failure: { code: 'command-failed', exitCode: 3 },
      exitCode: 3,
      stdout: 'half\n',
      stderr: '',
      isCut: false,
    },
    { ok: false, failure: { code: 'command-killed', signal: 'SIGKILL' }, stdout: '', stderr: '', isCut: false },
    expect.objectContaining({ ok: false, failure: { code: 'command-not-found', command: 'no-such-program' } }),
    { ok: true },
  ]);
});

test('more than a megabyte is cut at the front, and said to be; so is a log that the command shortened', async () => {
  const [long, shortened] = await captured(`
    const long = await context.command('head -c 2000000 /dev/zero | tr "\\\\0" x; echo; echo the end', { capture: true });
    const { stdout, ...rest } = long;
    const shortened = await context.command('echo forged > /proc/$$/fd/1', { capture: true });
    return [{ ...rest, length: stdout.length, end: stdout.slice(-9) }, shortened];`);
  expect(long).toEqual({ ok: true, exitCode: 0, stderr: '', isCut: true, length: 1 << 20, end: '\nthe end\n' });
  expect(shortened).toMatchObject({ ok: true, stdout: '', isCut: true });
});

test('values of secrets are not given back', async () => {
  const project = new Project({
    'autoresearch.config.yaml': configYaml(
      'a: { uses: ./capturing.mjs, outputs: [ends.json], passEnv: [MY_TOKEN] }',
      'name: study\nsecrets: [MY_TOKEN]',
    ),
    'capturing.mjs': behaviour(`return [await context.command('echo "token $MY_TOKEN"', { capture: true })];`),
  });
  const { code, stderr } = await ended(project.start(['exec', '--reporter', 'plain'], { MY_TOKEN: 'hunter2-hunter2' }));
  expect(code, stderr).toBe(0);
  expect(JSON.parse(project.read('ends.json'))[0].stdout).toBe('token [secret MY_TOKEN]\n');
});
