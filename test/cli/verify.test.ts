import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, readdirSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstPrev, seal } from '../../src/journal/chain.js';
import { configYaml, ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const stages = `
a: { uses: command, with: { run: 'cat in.txt > a.txt' }, inputs: [in.txt], outputs: [a.txt] }
b: { uses: command, needs: [a], with: { run: 'cp a.txt b.txt; echo made b' }, inputs: [a.txt], outputs: [b.txt] }`;

const study = async (head = 'name: study\nprotect: [eval/**]'): Promise<Project> => {
  const project = new Project({
    'autoresearch.config.yaml': configYaml(stages, head),
    'in.txt': 'in\n',
    'eval/score.py': 'print(1)\n',
  });
  expect((await project.run('exec')).code).toBe(0);
  return project;
};

const runs = '.autoresearch/default/runs';
const newest = (project: Project): string =>
  readdirSync(join(project.dir, runs)).sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))[0]!;
const inRun = (project: Project, name: string): string => `${runs}/${newest(project)}/${name}`;
const journal = (project: Project): string => inRun(project, 'journal.jsonl');

interface VerifyJson {
  outcome: string;
  checks: { id: string; kind: string; status: string; detail: string }[];
  passed: number;
  failed: number;
}

const verify = async (project: Project, ...args: string[]): Promise<VerifyJson & { code: number | null }> => {
  const before = project.snapshot();
  const { code, stdout, stderr } = await project.run('verify', '--json', ...args);
  expect(project.snapshot(), 'verify changed something').toEqual(before);
  expect(stderr).toBe('');
  return { code, ...(JSON.parse(stdout) as VerifyJson) };
};

const findings = ({ checks }: VerifyJson): string[] =>
  checks.flatMap(({ id, status, detail }) => (status === 'failed' ? [`${id}: ${detail}`] : []));

/** Writes a journal anew with a chain that holds together, as somebody would who knows how it is made. */
function forge(project: Project, change: (events: Record<string, unknown>[]) => Record<string, unknown>[]): void {
  let prev = firstPrev;
  let text = '';
  for (const [seq, event] of change(project.journal()).entries()) {
    const { seq: _seq, prev: _prev, hash: _hash, at, ...rest } = event;
    const sealed = seal(rest, { seq, at: String(at), prev });
    text += sealed.line;
    prev = sealed.entry.hash;
  }
  project.write(journal(project), text);
}

describe('a run that stands', () => {
  it('passes, says what was looked at, and changes nothing', async () => {
    const project = await study();
    const { code, outcome, checks, passed, failed } = await verify(project);
    expect({ code, outcome, passed, failed }).toEqual({ code: 0, outcome: 'passed', passed: 16, failed: 0 });
    expect(checks.map(({ id }) => id)).toEqual([
      'journal',
      'end',
      'end:note',
      'end:note outside',
      'plan',
      'task:a',
      'task:b',
      'output:a.txt',
      'output:b.txt',
      'input:a',
      'input:b',
      'protected',
      'log:a/1',
      'log:b/1',
      'report:execution.json',
      'report:execution.md',
    ]);
  });

  it('is a table for people', async () => {
    const project = await study();
    const run = newest(project);
    const digest = String(project.journal()[0]!.planDigest).slice(0, 10);
    expect((await project.run('verify')).stdout).toBe(`✓ run ${run} stands
  ✓ journal    ${project.journal().length} lines, each bears the hash of the one before
  ✓ end        the journal ends where the run ended
  ✓ plan       plan.json is plan ${digest}, by which the run went
  ✓ task       2 tasks ended as they should
  ✓ output     2 files are as they were made
  ✓ input      what 2 tasks read is as it was
  ✓ protected  1 file of eval/**, as they were during the run
  ✓ log        the logs of 2 attempts are there
  ✓ report     2 files say what journal and results say

16 checks passed
`);
    expect((await project.run('verify', '--quiet')).stdout).toBe('');
    project.write('b.txt', 'other\n');
    const { code, stdout } = await project.run('verify', '--quiet');
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: `✗ run ${run} does not stand\n  ✗ output     b.txt: was changed after b made it\n\n1 of 16 checks failed\n`,
    });
  });

  it('may have come to its end in several goes, or use results of an earlier one', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`
a: { uses: command, with: { run: 'echo a > a.txt' }, outputs: [a.txt] }
b: { uses: command, needs: [a], with: { run: 'test -e go && echo b > b.txt' }, outputs: [b.txt] }`),
    });
    expect((await project.run('exec')).code).toBe(1);
    const failed = await verify(project);
    expect(failed.code).toBe(1);
    expect(findings(failed)).toEqual(['end: the run failed', 'task:b: it ended as failed']);
    project.write('go', '');
    expect((await project.run('exec')).code).toBe(0);
    expect(findings(await verify(project))).toEqual([]);
    expect((await project.run('exec', '--new')).code).toBe(0);
    const { code, checks } = await verify(project);
    expect(code).toBe(0);
    expect(checks.find(({ id }) => id === 'task:a')?.detail).toBe('an earlier result was used');
  });
});

describe('a run that cannot be verified', () => {
  it('is absent: exit 2, in words', async () => {
    const project = new Project({ 'autoresearch.config.yaml': configYaml(stages) });
    const none = await project.run('verify');
    expect(none.code).toBe(2);
    expect(none.stderr).not.toBe('');
    const done = await study();
    expect((await done.run('verify', '--run', '9')).code).toBe(2);
  });

  it('is still going on: exit 1', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml("a: { uses: command, with: { run: 'touch begun; sleep 60' } }"),
    });
    const child = project.start(['exec']);
    const end = ended(child);
    await until(() => project.exists('begun'));
    const { code, stdout } = await project.run('verify', '--json');
    child.kill('SIGTERM');
    await end;
    expect(code).toBe(1);
    expect(findings(JSON.parse(stdout))).toContain(
      'end: the run is still going on; it can be verified when it has ended',
    );
  });

  it('was killed: exit 1', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml("a: { uses: command, with: { run: 'touch begun; sleep 60' } }"),
    });
    const child = project.start(['exec']);
    const end = ended(child);
    await until(() => project.exists('begun'));
    child.kill('SIGKILL');
    await end;
    const found = await verify(project);
    expect(found.code).toBe(1);
    expect(findings(found)[0]).toMatch(/^end: the journal stops in mid-run/);
  });

  it('left tasks out on the command line: exit 1', async () => {
    const project = await study();
    expect((await project.run('exec', '--new', '--only', 'a', '--force', 'a')).code).toBe(0);
    const found = await verify(project);
    expect(found.code).toBe(1);
    expect(findings(found).join()).toMatch(/task:b: it was left out/);
  });
});

describe('a journal that was tampered with is exit 4', () => {
  it('a bit flipped, anywhere', async () => {
    const project = await study();
    const text = project.read(journal(project));
    const bytes = Buffer.from(text);
    for (let at = 7; at < bytes.length; at += Math.ceil(bytes.length / 12)) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1;
      project.write(journal(project), flipped.toString('latin1'));
      const found = await verify(project);
      expect({ at, code: found.code, outcome: found.outcome }).toEqual({ at, code: 4, outcome: 'violated' });
      expect(found.checks).toHaveLength(1);
    }
  });

  it('the last line break turned into something else', async () => {
    const project = await study();
    project.write(journal(project), `${project.read(journal(project)).slice(0, -1)} `);
    expect((await verify(project)).code).toBe(4);
  });

  it('a line removed, at every place', async () => {
    const project = await study();
    const lines = project.read(journal(project)).split(/(?<=\n)/);
    for (const [index] of lines.entries()) {
      project.write(journal(project), lines.filter((_, other) => other !== index).join(''));
      const found = await verify(project);
      expect({ index, code: found.code }).toEqual({ index, code: 4 });
    }
  });

  it('the last lines removed at a line end, as many as anyone likes', async () => {
    const project = await study();
    const lines = project.read(journal(project)).split(/(?<=\n)/);
    for (let left = lines.length - 1; left >= 1; left -= 1) {
      project.write(journal(project), lines.slice(0, left).join(''));
      const found = await verify(project);
      expect({ left, code: found.code }).toEqual({ left, code: 4 });
      expect(findings(found)).toContain(
        `end:note: the run ended at line ${lines.length}, and the journal has only ${left}`,
      );
    }
  });

  it('an end added to a run that had failed', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        "a: { uses: command, with: { run: 'echo a > a.txt; exit 1' }, outputs: [a.txt] }",
      ),
    });
    expect((await project.run('exec')).code).toBe(1);
    const events = project.journal();
    const last = events.at(-1)!;
    const { line } = seal(
      { type: 'run-finished', outcome: 'passed', durationMs: 1 },
      { seq: events.length, at: String(last.at), prev: String(last.hash) },
    );
    appendFileSync(join(project.dir, journal(project)), line);
    const found = await verify(project);
    expect(found.code).toBe(4);
    expect(findings(found)).toContain('end:note: 1 line follows the end that was noted');
  });

  it('written anew as a chain that holds together, its note with it: the one outside of the project tells', async () => {
    const project = await study();
    project.write('b.txt', 'better\n');
    const digest = execFileSync('sha256sum', [join(project.dir, 'b.txt')], { encoding: 'utf8' }).slice(0, 64);
    forge(project, (events) =>
      events.map((event) =>
        event.type === 'task-finished' && event.task === 'b'
          ? { ...event, outputs: [{ ...(event.outputs as object[])[0], digest }] }
          : event,
      ),
    );
    const forged = project.journal();
    const note = {
      version: 1,
      run: newest(project),
      first: forged[0]!.hash,
      seq: forged.length - 1,
      hash: forged.at(-1)!.hash,
    };
    project.write(inRun(project, 'end.json'), `${JSON.stringify(note)}\n`);
    const found = await verify(project);
    expect(found.code).toBe(4);
    expect(findings(found).filter((finding) => finding.startsWith('end:note'))).toEqual([
      expect.stringMatching(/^end:note outside: line \d+ of the journal is not the one that the run ended with$/),
    ]);
  });

  it('replaced by that of another run, or the whole folder', async () => {
    const project = await study();
    expect((await project.run('exec', '--new', '--force', 'b')).code).toBe(0);
    const [first, second] = readdirSync(join(project.dir, runs)).sort();
    const saved = project.read(`${runs}/${second}/journal.jsonl`);
    project.write(`${runs}/${second}/journal.jsonl`, project.read(`${runs}/${first}/journal.jsonl`));
    const swapped = await verify(project);
    expect({ code: swapped.code, findings: findings(swapped) }).toEqual({
      code: 4,
      findings: [`journal: line 1: this is the journal of ${first}`],
    });
    project.write(`${runs}/${second}/journal.jsonl`, saved);
    rmSync(join(project.dir, runs, second!), { recursive: true });
    cpSync(join(project.dir, runs, first!), join(project.dir, runs, second!), { recursive: true });
    expect((await verify(project)).code).toBe(4);
    // With the name of the run changed in it and sealed anew, note and all.
    forge(project, (events) =>
      events.map((event) => (event.type === 'run-started' ? { ...event, run: second } : event)),
    );
    const forged = project.journal();
    const note = { version: 1, run: second, first: forged[0]!.hash, seq: forged.length - 1, hash: forged.at(-1)!.hash };
    project.write(`${runs}/${second}/end.json`, JSON.stringify(note));
    const renamed = await verify(project);
    expect(renamed.code).toBe(1);
    expect(findings(renamed)).toEqual([
      expect.stringMatching(/^end:note outside: nobody noted the end of the run/),
      expect.stringMatching(/^report:execution.json: run is ".*", and journal and results make ".*" of it; /),
      expect.stringMatching(/^report:execution.md: line 1 is not what journal and results make of it: # study, run /),
    ]);
  });

  it('emptied, removed, or a pipe in its place', async () => {
    const project = await study();
    const file = join(project.dir, journal(project));
    project.write(journal(project), '');
    expect((await verify(project)).code).toBe(4);
    unlinkSync(file);
    expect((await verify(project)).code).toBe(4);
    execFileSync('mkfifo', [file]);
    expect((await project.run('verify')).code).toBe(4);
  });

  it('its note removed is a finding, its note forged or a pipe is tampering', async () => {
    const project = await study();
    const file = join(project.dir, inRun(project, 'end.json'));
    const text = project.read(inRun(project, 'end.json'));
    rmSync(file);
    const removed = await verify(project);
    expect(removed.code).toBe(1);
    expect(findings(removed)).toEqual([expect.stringMatching(/^end:note: nobody noted the end of the run/)]);
    for (const other of ['', 'null', '{}', text.replace(/"seq":\d+/, '"seq":null')]) {
      project.write(inRun(project, 'end.json'), other);
      expect({ other, code: (await verify(project)).code }).toEqual({ other, code: 4 });
    }
    rmSync(file);
    execFileSync('mkfifo', [file]);
    expect((await project.run('verify')).code).toBe(4);
  });

  it('the note outside goes with its run, and with no other', async () => {
    const project = await study();
    for (let more = 0; more < 2; more += 1)
      expect((await project.run('exec', '--new', '--force', 'a', 'b')).code).toBe(0);
    const ends = join(project.stateHome, 'autoresearch', 'ends');
    expect(readdirSync(ends)).toHaveLength(3);
    const [first, second] = readdirSync(join(project.dir, runs)).sort();
    project.write(`${runs}/${first}/end.json`, project.read(`${runs}/${second}/end.json`).replace(second!, first!));
    expect((await project.run('clean', '--keep', '1')).code).toBe(0);
    expect(readdirSync(join(project.dir, runs))).toHaveLength(1);
    // That of the first stays, because somebody wrote another name into it.
    expect(readdirSync(ends)).toHaveLength(2);
    expect((await verify(project)).code).toBe(0);
  });

  it('a run of another machine has no note outside here, and that is said', async () => {
    const project = await study();
    const ends = join(project.stateHome, 'autoresearch', 'ends');
    const note = join(ends, `${String(project.journal()[0]!.hash).slice(0, 32)}.json`);
    renameSync(note, `${note}.away`);
    expect((await verify(project)).code).toBe(1);
    forge(project, (events) =>
      events.map((event) => (event.type === 'run-started' ? { ...event, host: `not-${hostname()}` } : event)),
    );
    const forged = project.journal();
    const own = {
      version: 1,
      run: newest(project),
      first: forged[0]!.hash,
      seq: forged.length - 1,
      hash: forged.at(-1)!.hash,
    };
    project.write(inRun(project, 'end.json'), JSON.stringify(own));
    const found = await verify(project);
    expect(found.code).toBe(0);
    expect(found.checks.find(({ id }) => id === 'end:note outside')?.detail).toBe(
      'not to be expected: the run was made on another machine, which keeps it',
    );
    rmSync(`${note}.away`);
  });
});

describe('what was changed after the run', () => {
  it.each([
    ['an output', (p: Project) => p.write('b.txt', 'other\n'), 1, ['output:b.txt: was changed after b made it']],
    [
      'an output that others read',
      (p: Project) => p.write('a.txt', 'other\n'),
      1,
      ['output:a.txt: was changed after a made it', 'input:b: a.txt was changed'],
    ],
    [
      'an output removed',
      (p: Project) => rmSync(join(p.dir, 'b.txt')),
      1,
      ['output:b.txt: b.txt is gone; b had made it'],
    ],
    ['an input', (p: Project) => p.write('in.txt', 'other\n'), 1, ['input:a: in.txt was changed']],
    [
      'a protected file',
      (p: Project) => p.write('eval/score.py', 'print(2)\n'),
      4,
      ['protected:eval/score.py: is protected and not as it was during the run'],
    ],
    [
      'a file beside protected ones',
      (p: Project) => p.write('eval/conftest.py', ''),
      4,
      ['protected:eval/conftest.py: is protected and not as it was during the run'],
    ],
    [
      'the logs',
      (p: Project) => rmSync(join(p.dir, inRun(p, 'tasks/b')), { recursive: true }),
      1,
      ['log:b/1: the folder of attempt 1 of b is gone'],
    ],
    [
      'what it printed',
      (p: Project) => rmSync(join(p.dir, inRun(p, 'tasks/b/1/stdout.log'))),
      1,
      ['log:b/1: what attempt 1 of b printed is gone'],
    ],
    [
      'plan.json gone',
      (p: Project) => rmSync(join(p.dir, inRun(p, 'plan.json'))),
      1,
      [expect.stringMatching(/^plan: plan.json is gone/)],
    ],
    [
      'plan.json',
      (p: Project) => p.write(inRun(p, 'plan.json'), p.read(inRun(p, 'plan.json')).replaceAll('made b', 'made c')),
      4,
      [expect.stringMatching(/^plan: plan.json is not plan/)],
    ],
    [
      'plan.json, so that it is none',
      (p: Project) => p.write(inRun(p, 'plan.json'), '{"version":1,"tasks":[null],"waves":[]}'),
      4,
      [expect.stringMatching(/^plan: plan.json is not plan/)],
    ],
  ] as const)('%s', async (_name, mischief, code, expected) => {
    const project = await study();
    mischief(project);
    const found = await verify(project);
    expect({ code: found.code, findings: findings(found) }).toEqual({ code, findings: expected });
  });

  it('a name that speaks to the terminal is shown without its voice', async () => {
    const project = await study();
    project.write('eval/\u001b[31mx', '');
    const { code, stdout } = await project.run('verify');
    expect(code).toBe(4);
    expect(stdout).not.toContain('\u001b');
  });

  it('with its times set back is found all the same', async () => {
    const project = await study();
    execFileSync('sh', ['-c', 'touch -r b.txt ref; printf "xx\\n" > b.txt; touch -r ref b.txt; rm ref'], {
      cwd: project.dir,
    });
    expect((await verify(project)).code).toBe(1);
  });

  it('without the vault, protected files are compared as a whole', async () => {
    const project = await study();
    const vaults = join(project.stateHome, 'autoresearch', 'vaults');
    const { digest } = project.journal().find(({ type }) => type === 'protection-recorded') as { digest: string };
    const vault = readdirSync(vaults).find((name) => {
      try {
        return readdirSync(join(vaults, name, 'copies')).includes(digest);
      } catch {
        return false;
      }
    })!;
    rmSync(join(vaults, vault), { recursive: true });
    expect((await verify(project)).code).toBe(0);
    project.write('eval/score.py', 'print(2)\n');
    const found = await verify(project);
    expect(found.code).toBe(4);
    expect(findings(found)).toEqual([
      'protected: 1 file of eval/**: not all as during the run (without the vault nobody knows which)',
    ]);
  });
});

const spent = async (): Promise<Project> => {
  const project = new Project({
    'autoresearch.config.yaml': `name: study
agents: { coder: { backend: command, run: ${JSON.stringify(`echo x > a.txt; echo '{"outcome":"done","summary":"x","usd":2}'`)}, limits: { usd: 2 } } }
stages:
  a: { uses: agent, agent: coder, with: { instructions: write }, outputs: [a.txt] }
`,
  });
  const { code, stderr } = await project.run('exec');
  expect(code, stderr).toBe(0);
  return project;
};

describe('ledger and journal', () => {
  const ledger = '.autoresearch/default/ledger.jsonl';

  it('agree, and a ledger that is gone, cut or forged is found', async () => {
    const project = await spent();
    const good = await verify(project);
    expect(findings(good)).toEqual([]);
    expect(good.checks.find(({ id }) => id === 'ledger')?.detail).toBe('1 call in ledger and journal alike');
    const text = project.read(ledger);
    project.write(ledger, text.replace('"usd":2', '"usd":1'));
    expect((await verify(project)).code).toBe(4);
    project.write(ledger, text.split(/(?<=\n)/)[0]!);
    expect((await verify(project)).code).toBe(4);
    rmSync(join(project.dir, ledger));
    expect((await verify(project)).code).toBe(1);
  });

  it('a journal from which a call was taken does not agree with the ledger', async () => {
    const project = await spent();
    forge(project, (events) =>
      events.filter(({ type }) => !['agent-invoked', 'agent-completed', 'spend-recorded'].includes(String(type))),
    );
    const found = await verify(project);
    expect(found.code).toBe(4);
    expect(findings(found).join()).toMatch(/ledger: the journal does not tell of call/);
  });
});

describe('what agents were asked and answered', () => {
  const call = (project: Project, name: string): string => inRun(project, `tasks/a/1/author-1/${name}`);

  it('is as it was, and every change of it is found', async () => {
    const project = await spent();
    const good = await verify(project);
    expect(findings(good)).toEqual([]);
    expect(good.checks.find(({ kind }) => kind === 'call')).toMatchObject({
      id: 'call:tasks/a/1/author-1',
      detail: 'as it was when the call ended',
    });
    for (const name of ['prompt.md', 'reply.json', 'stdout.log']) {
      const text = project.read(call(project, name));
      for (const other of [
        text.replace(/[a-z]/, 'X'),
        text.slice(0, -1),
        `${text[0] === ' ' ? 'x' : ' '}${text.slice(1)}`,
      ]) {
        project.write(call(project, name), other);
        const found = await verify(project);
        expect([found.code, findings(found)]).toEqual([
          1,
          [`call:tasks/a/1/author-1: ${name} was changed after the call ended`],
        ]);
      }
      rmSync(join(project.dir, call(project, name)));
      execFileSync('mkfifo', [join(project.dir, call(project, name))]);
      expect(findings(await verify(project))).toEqual([`call:tasks/a/1/author-1: ${name} is gone`]);
      rmSync(join(project.dir, call(project, name)));
      project.write(call(project, name), text);
    }
    expect(findings(await verify(project))).toEqual([]);
  });

  it('the copies beside the logs of the attempt are compared too', async () => {
    const project = await spent();
    const copy = inRun(project, 'tasks/a/1/prompt.md');
    project.write(copy, project.read(copy).replace('write', 'do not write'));
    const found = await verify(project);
    expect([found.code, findings(found)]).toEqual([
      1,
      ['call:tasks/a/1/prompt.md: not what any call of the attempt left'],
    ]);
  });

  it('what is added later is found too, in files that were empty as well', async () => {
    for (const [name, found] of [
      ['prompt.md', 'something was added to prompt.md after the call ended'],
      ['reply.json', 'something was added to reply.json after the call ended'],
      ['stdout.log', 'something was added to stdout.log after the call ended'],
      ['stderr.log', 'stderr.log was not there when the call ended'],
    ] as const) {
      const project = await spent();
      appendFileSync(join(project.dir, call(project, name)), 'forged\n');
      expect(findings(await verify(project))).toEqual([`call:tasks/a/1/author-1: ${found}`]);
    }
  });

  it('a journal of before that was noted stays valid', async () => {
    const project = await spent();
    // That its chain is another one is found elsewhere.
    forge(project, (events) => events.map(({ kept: _kept, ...event }) => event));
    const { checks } = await verify(project);
    expect(checks.filter(({ kind }) => kind === 'call')).toEqual([]);
  });
});
