import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installCli } from '../support/agent-clis.js';
import { FakeAnthropic } from '../support/fake-anthropic.js';
import { FakeOpenAi } from '../support/fake-openai.js';
import { ended, Project } from '../support/project.js';

const example = resolve(import.meta.dirname, '../../examples/agents');

function copy(leaveOut: readonly string[] = []): Project {
  const project = new Project();
  const isIn = (path: string): boolean =>
    !['.autoresearch', 'src', 'reviews', 'logs', ...leaveOut].some((name) => path.startsWith(join(example, name)));
  cpSync(example, project.dir, { recursive: true, filter: isIn });
  return project;
}

const exec = (project: Project, args: readonly string[], env = {}) =>
  ended(project.start(['exec', '--reporter', 'plain', ...args], env));

describe('the example of two agents', () => {
  it('is replayed by who has neither of them: the first attempt fails, the second is told why', async () => {
    const project = copy();
    const { code, stdout } = await exec(project, ['--replay']);
    expect(stdout).toContain('check failed: NaN is a RangeError');
    expect(stdout).toMatch(/^✓ implement .*attempt 2 .*\n✓ review .*\n✓ median passed/m);
    expect(code).toBe(0);
    expect(JSON.parse(project.read('reviews/median.json'))).toMatchObject({ verdict: 'pass' });
    expect(project.journal().filter(({ type, usd }) => type === 'spend-recorded' && usd !== 0)).toEqual([]);
  });

  it('no longer fits when the task is another one, and says how', async () => {
    const project = copy();
    const config = project.read('autoresearch.config.yaml');
    project.write('autoresearch.config.yaml', config.replace('No packages.', 'Use numpy.'));
    const { code, stdout } = await exec(project, ['--replay']);
    expect(code).toBe(1);
    expect(stdout).toContain('agent coder has no recording of this');
    expect(stdout).toMatch(/\+.*Use numpy\./);
  });

  // Recordings follow from the prompts: RECORD_EXAMPLE=1 npx vitest run test/examples/agents.test.ts
  it.runIf(process.env.RECORD_EXAMPLE)('is recorded anew', { timeout: 600_000 }, async () => {
    const project = copy(['cassettes']);
    const home = mkdtempSync(join(tmpdir(), 'autoresearch-example-'));
    const [claude, codex] = [await installCli('claude'), await installCli('codex')];
    const anthropic = await FakeAnthropic.start(({ text }) => coderTurn(text, project.dir));
    const openai = await FakeOpenAi.start([
      { calls: [{ name: 'exec_command', args: { cmd: 'cat src/median.mjs' } }] },
      { text: JSON.stringify(verdict), usage: { input: 2100, output: 160 } },
    ]);
    mkdirSync(join(home, 'codex'));
    writeFileSync(join(home, 'codex/config.toml'), codexConfig(openai.baseUrl));
    const end = await exec(project, ['--record'], {
      PATH: [dirname(claude), dirname(codex), process.env.PATH].join(':'),
      HOME: home,
      ANTHROPIC_BASE_URL: anthropic.url,
      ANTHROPIC_API_KEY: 'no-real-key',
      CODEX_HOME: join(home, 'codex'),
      OPENAI_FAKE_KEY: 'no-real-key',
    });
    await anthropic.close();
    await openai.close();
    expect(end).toMatchObject({ code: 0 });
    rmSync(join(example, 'cassettes'), { recursive: true, force: true });
    cpSync(join(project.dir, 'cassettes'), join(example, 'cassettes'), { recursive: true });
    expect(existsSync(join(example, 'cassettes'))).toBe(true);
  });
});

const codexConfig = (url: string): string =>
  `model_provider = "fake"\n[model_providers.fake]\nname = "fake"\nbase_url = "${url}"\nenv_key = "OPENAI_FAKE_KEY"\nwire_api = "responses"\n`;

const verdict = {
  verdict: 'pass',
  score: 0.95,
  reasons: [
    'src/median.mjs:3-4 refuses empty lists and NaN',
    'src/median.mjs:5 sorts a copy',
    'src/median.mjs:7 is right for both parities',
  ],
};

/** What the scripted model of the coder does next, given all that was said so far. */
function coderTurn(text: string, dir: string) {
  const tool = (name: string, input: object) => ({ tools: [{ name, input }] });
  const file = join(dir, 'src/median.mjs');
  const steps = [
    tool('Read', { file_path: join(dir, 'check.mjs') }),
    tool('Write', { file_path: file, content: hasty }),
    tool('StructuredOutput', { outcome: 'done', summary: 'wrote median()', files: [change('1-6', 'new')] }),
    tool('Read', { file_path: file }),
    tool('Write', { file_path: file, content: careful }),
    tool('StructuredOutput', {
      outcome: 'done',
      summary: 'median() refuses empty lists and NaN, and sorts a copy',
      files: [change('2-6', 'checks its input and copies the list')],
    }),
  ];
  return steps[Math.min(text.split('"type":"tool_use"').length - 1, steps.length - 1)]!;
}

const change = (lines: string, words: string) => ({ path: 'src/median.mjs', lines, change: words });

const comment = '/** The middle of a list of numbers; half way between the two in the middle when there is no one. */';
const middle = `  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
`;
const hasty = `${comment}
export function median(numbers) {
  const sorted = numbers.sort((a, b) => a - b);
${middle}`;
const careful = `${comment}
export function median(numbers) {
  if (numbers.length === 0) throw new RangeError('an empty list has no median');
  if (numbers.some((number) => Number.isNaN(number))) throw new RangeError('NaN has no place in an order');
  const sorted = [...numbers].sort((a, b) => a - b);
${middle}`;
