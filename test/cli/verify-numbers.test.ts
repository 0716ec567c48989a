import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

/** What is told of a run, and what was found to hold in it, held against what is there now. */
const config = `name: study
protect: [eval/**]
report: { html: true }
vars: { most: 0.5 }
stages:
  train:
    uses: command
    with: { run: 'cp made.json m.json; cp made.json n.json' }
    outputs: [m.json, n.json]
    gate: { kind: auto, checks: ['metrics.loss < 0.5'], evidence: [m.json] }
  sure:
    uses: assert
    needs: [train]
    with:
      from: { n: n.json }
      checks: [{ expression: 'n.loss < {{vars.most}}' }, { file: n.json, contains: loss }, { command: touch ran }]
`;
const runs = '.autoresearch/default/runs';

describe('verify', () => {
  let project: Project;
  let inRun: (name: string) => string;

  beforeAll(async () => {
    project = new Project({
      'autoresearch.config.yaml': config,
      'made.json': '{"loss": 0.25}\n',
      'eval/a': 'a\n',
    });
    expect((await project.run('exec')).code).toBe(0);
    inRun = (name) => join(runs, readdirSync(join(project.dir, runs))[0]!, name);
    rmSync(join(project.dir, 'ran'));
  });

  const findings = async (): Promise<{ code: number | null; found: string[] }> => {
    const { code, stdout } = await project.run('verify', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { id: string; status: string; detail: string }[] };
    const found = checks.filter(({ status }) => status === 'failed').map(({ id, detail }) => `${id}: ${detail}`);
    return { code, found };
  };

  const during = async (file: string, change: (text: string) => string) => {
    const before = project.read(file);
    expect(change(before)).not.toBe(before);
    project.write(file, change(before));
    const found = await findings();
    project.write(file, before);
    return found;
  };

  it('finds nothing where nothing was done, asserts once more, and runs no command', async () => {
    const { code, stdout } = await project.run('verify', '--verbose');
    expect(stdout).toContain('✓ assert     sure: 2 checks hold; 1 by commands, which are not run again\n');
    expect(stdout).toContain('✓ gate       train: passed by checks, and what was shown is as it was\n');
    expect(stdout).toContain('✓ report     report.html: what journal and results make of it\n');
    expect([code, project.exists('ran')]).toEqual([0, false]);
  });

  it('finds a number in the record that the journal does not tell', async () => {
    expect(
      await during(inRun('execution.json'), (text) => text.replace('"outcome": "passed"', '"outcome": "ok"')),
    ).toEqual({
      code: 1,
      found: [
        'report:execution.json: outcome is "ok", and journal and results make "passed" of it; autoresearch report makes it anew',
      ],
    });
    expect(await during(inRun('execution.json'), () => '{')).toEqual({
      code: 1,
      found: ['report:execution.json: it cannot be read; autoresearch report makes it anew'],
    });
  });

  it.each(['execution.md', 'report.html'])(
    'finds a number that was changed in %s, and one that was left out',
    async (name) => {
      const changed = await during(inRun(name), (text) =>
        // In the page a number leads to where it comes from.
        text.replace(/(?<=all (?:<a [^>]*>)?)2(?=(?:<\/a>)? tasks)/, '9'),
      );
      expect(changed.code).toBe(1);
      expect(changed.found).toEqual([
        expect.stringMatching(
          new RegExp(
            `^report:${name}: line \\d+ is not what journal and results make of it: .*(all 9 tasks|SUCCESS|The run finished)`,
          ),
        ),
      ]);
      const cut = await during(inRun(name), (text) => text.split('\n').slice(0, 4).join('\n'));
      expect(cut).toEqual({
        code: 1,
        found: [`report:${name}: it ends after line 4, before all is told; autoresearch report makes it anew`],
      });
    },
  );

  it('finds that an assertion no longer holds, and what it was read from', async () => {
    expect(await during('n.json', () => '{"loss": 0.9}\n')).toEqual({
      code: 1,
      found: [
        'output:n.json: was changed after train made it',
        'input:sure: n.json was changed',
        'assert:sure: 1 of 2 checks failed: n.loss < 0.5: n.loss < 0.5 is false (n.loss is 0.9); 1 by commands, which are not run again',
      ],
    });
  });

  it('finds that a gate decided about something else', async () => {
    const { code, found } = await during('m.json', () => '{"loss": 0.1}\n');
    expect(code).toBe(1);
    expect(found).toContain('gate:train: m.json changed since checks decided');
  });

  it('asks for no report that nobody wrote, and for none of the vault where a run was restored', async () => {
    const other = new Project();
    cpSync(project.dir, other.dir, { recursive: true });
    const page = await other.run('verify', '--verbose');
    expect(page.stdout).toContain('✓ report     report.html: what journal and results make of it\n');
    for (const name of ['execution.json', 'execution.md', 'report.html']) rmSync(join(other.dir, inRun(name)));
    expect((await other.run('verify', '--verbose')).stdout).not.toContain('report ');
  });
});
