import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configYaml, ended, Project } from '../support/project.js';

const ledger = '.autoresearch/default/ledger.jsonl';

/** A task that fails, an agent that mends for money, and something that the task does to the ledger before. */
const spending = (mischief: string, first = ''): Project =>
  new Project({
    'autoresearch.config.yaml': `name: study
agents: { coder: { backend: command, run: ${JSON.stringify(`echo '{"outcome":"done","summary":"x","usd":2}'`)}, limits: { usd: 2 } } }
budget: { usdPerDay: 6 }
stages:
  a: { uses: command, with: { run: '${first}L=${ledger}; if [ -e $L ]; then ${mischief}; fi; exit 1' }, retry: { attempts: 9, fix: coder } }
`,
  });

const calls = (project: Project): number => project.journal().filter(({ type }) => type === 'agent-invoked').length;

describe('a ledger that a task tampers with stops the run with exit 4', () => {
  it.each([
    ['emptied', ': > $L'],
    ['cut', 'sed -i "2,\\$d" $L'],
    ['removed', 'rm $L'],
    ['a pipe', 'rm -f $L; mkfifo $L'],
    ['an older copy', 'test -e old || cp $L old; cp old $L'],
  ])('%s', async (_name, mischief) => {
    const project = spending(mischief);
    const { code, stderr } = await project.run('exec');
    expect({ code, calls: calls(project) <= 3 }).toEqual({ code: 4, calls: true });
    expect(stderr).toContain('ledger.jsonl');
  });

  it('also when it was done while nothing ran', async () => {
    const project = spending('true');
    expect((await project.run('exec')).code).toBe(5);
    const before = calls(project);
    project.write(ledger, '');
    expect((await project.run('exec', '--new')).code).toBe(4);
    expect((await project.run('cost')).code).toBe(4);
    expect(before).toBe(3);
  });
});

describe('what another agent id has spent of the day', () => {
  const other = '.autoresearch/other';
  /** At noon of some day: a test that was begun just before midnight would have two of them. */
  const at = (project: Project, ...args: string[]) =>
    ended(
      project.start(args, {
        NODE_OPTIONS: `--require ${resolve(import.meta.dirname, '../crash/shift-clock.cjs')}`,
        CRASH_SHIFT_MS: String(Date.UTC(2030, 0, 15, 12) - Date.now()),
      }),
    );
  it.each([
    ['the whole state removed', `rm -rf ${other}`, '0 USD in 0 calls'],
    ['the state renamed', `mv ${other} .autoresearch/third`, '0 USD in 0 calls'],
    ['another folder in its place', `rm -rf ${other}; mkdir ${other}; : > ${other}/ledger.jsonl`, '0 USD in 0 calls'],
    [
      'runs removed and the ledger cut',
      `rm -r ${other}/runs; sed -i "3,\\$d" ${other}/ledger.jsonl`,
      '2 USD in one call',
    ],
  ])('%s by a task: nothing is given back, exit 4', async (_name, mischief, left) => {
    // Without the braces of a shell, which would be those of YAML.
    const project = spending('true', `if [ -e go ]; then ${mischief}; fi; `);
    expect((await at(project, 'exec', '--agent-id', 'other')).code).toBe(5);
    project.write('go', '');
    const { code, stderr } = await at(project, 'exec');
    const [note] = readdirSync(join(project.stateHome, 'autoresearch/spent'));
    const file = join(project.stateHome, 'autoresearch/spent', note!, 'other.spent.json');
    expect(stderr).toContain(
      `what was spent today cannot be told (${file}): agent id other has spent 6 USD in 3 calls on 2030-01-15, and its ledger tells of ${left}: it, or the whole state of that agent id, was removed or replaced`,
    );
    expect({ code, calls: calls(project) }).toEqual({ code: 4, calls: 0 });
    // Nor does that agent id itself begin at nothing.
    expect((await at(project, 'exec', '--agent-id', 'other', '--new')).code).toBe(4);
    // A person who did it says so.
    rmSync(file);
    rmSync(join(project.dir, 'go'));
    expect((await at(project, 'exec', '--new')).code).toBe(5);
  });

  it('a note that is not what was written there is not believed either', async () => {
    const project = spending('true');
    expect((await at(project, 'exec', '--agent-id', 'other')).code).toBe(5);
    const folder = join(project.stateHome, 'autoresearch/spent');
    const file = join(folder, readdirSync(folder)[0]!, 'other.spent.json');
    const noted = readFileSync(file, 'utf8');
    for (const text of ['', '{}', noted.replace(/"calls":3/, '"calls":-3')]) {
      writeFileSync(file, text);
      const { code, stderr } = await at(project, 'exec', '--new');
      expect(stderr).toContain(`what was spent today cannot be told (${file}): it is not what was written there`);
      expect(code).toBe(4);
    }
    writeFileSync(file, noted);
    expect((await at(project, 'exec', '--new')).code).toBe(5);
  });

  it('without a ceiling for the day nobody is kept from removing the state', async () => {
    const project = spending('true');
    const config = project.read('autoresearch.config.yaml').replace('usdPerDay: 6', 'usdPerRun: 6');
    project.write('autoresearch.config.yaml', config);
    expect((await at(project, 'exec')).code).toBe(5);
    rmSync(join(project.dir, '.autoresearch'), { recursive: true });
    expect((await at(project, 'exec')).code).toBe(5);
    expect(calls(project)).toBe(3);
  });
});

describe('a journal', () => {
  const study = configYaml(`
a: { uses: command, with: { run: 'echo 1 >> a; echo a' } }
b: { uses: command, needs: [a], with: { run: 'test -e never' }, retry: { attempts: 2, fix: { run: 'MISCHIEF; touch never' } } }
c: { uses: command, needs: [b], with: { run: 'touch c-ran' } }`);

  it.each([
    ['emptied', 'for j in .autoresearch/default/runs/*/journal.jsonl; do : > $j; done'],
    ['cut', 'sed -i "3,\\$d" .autoresearch/default/runs/*/journal.jsonl'],
    ['added to', 'for j in .autoresearch/default/runs/*/journal.jsonl; do echo "{}" >> $j; done'],
  ])('that is %s while the run goes on ends it with exit 4', async (_name, mischief) => {
    const project = new Project({
      'autoresearch.config.yaml': study.replace('MISCHIEF', mischief.replaceAll("'", "''")),
    });
    const { code } = await project.run('exec');
    expect({ code, c: project.exists('c-ran') }).toEqual({ code: 4, c: false });
  });

  it.each([
    ['emptied', (project: Project, file: string) => project.write(file, '')],
    ['removed', (project: Project, file: string) => rmSync(join(project.dir, file))],
    [
      'replaced by a pipe',
      (project: Project, file: string) => {
        rmSync(join(project.dir, file));
        execFileSync('mkfifo', [join(project.dir, file)]);
      },
    ],
  ])('that was %s afterwards is exit 4, and --new starts afresh', async (_name, mischief) => {
    const project = new Project({ 'autoresearch.config.yaml': study.replace('MISCHIEF', 'true') });
    expect((await project.run('exec')).code).toBe(0);
    const run = readdirSync(join(project.dir, '.autoresearch/default/runs'))[0]!;
    mischief(project, `.autoresearch/default/runs/${run}/journal.jsonl`);
    expect((await project.run('exec')).code).toBe(4);
    expect((await project.run('exec', '--new')).code).toBe(0);
  });

  it.each([
    ['its last line', '$d', 'both'],
    ['all but its first line', '2,$d', 'both'],
    ['its last line, and the note beside it', '$d', 'outside'],
    ['its last line, where nobody has noted it outside', '$d', 'inside'],
  ] as const)('that lost %s after the run had ended is not gone on from', async (_name, cut, noted) => {
    const project = new Project({ 'autoresearch.config.yaml': study.replace('MISCHIEF; touch never', 'true') });
    expect((await project.run('exec')).code).toBe(1);
    const lines = project.journal().length;
    const run = join(
      project.dir,
      '.autoresearch/default/runs',
      readdirSync(join(project.dir, '.autoresearch/default/runs'))[0]!,
    );
    const file = join(run, 'journal.jsonl');
    execFileSync('sed', ['-i', cut, file]);
    if (noted === 'outside') rmSync(join(run, 'end.json'));
    if (noted === 'inside') rmSync(project.stateHome, { recursive: true });
    const before = readFileSync(file, 'utf8');
    const left = before.split('\n').length - 1;
    const words = `the journal was changed by something else: ${file}:${left}: the run ended at line ${lines}, and everything after this line is gone
Keep the file as evidence, find out who changed it, and start afresh with autoresearch exec --new
`;
    for (const command of ['exec', 'status']) {
      const { code, stderr } = await project.run(command);
      expect({ command, code, stderr }).toEqual({ command, code: 4, stderr: words });
    }
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect((await project.run('exec', '--new')).code).toBe(1);
  });

  it('goes on without its plan.json, which is only for people', async () => {
    const project = new Project({ 'autoresearch.config.yaml': study.replace('MISCHIEF', 'true') });
    expect((await project.run('exec')).code).toBe(0);
    const run = readdirSync(join(project.dir, '.autoresearch/default/runs'))[0]!;
    for (const text of ['{}', 'null', 'not json', '{"version":1,"tasks":{}}']) {
      project.write(`.autoresearch/default/runs/${run}/plan.json`, text);
      for (const command of ['status', 'runs', 'logs', 'exec'])
        expect({ command, code: (await project.run(command)).code }).toEqual({ command, code: 0 });
    }
  });
});
