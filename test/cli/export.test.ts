import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Crate, type Entity } from '../support/crate.js';
import { brokenRules, crateRules } from '../support/crate-rules.js';
import { LoopProject } from '../support/loop-project.js';
import { configYaml, ended, Project } from '../support/project.js';

describe('export --format ro-crate', () => {
  let project: Project;
  beforeAll(async () => {
    project = new Project({
      'autoresearch.config.yaml': configYaml(
        'first:\n  uses: command\n  with: { run: "test -f mended; cat in.txt > out/a#1.txt" }\n  inputs: [in.txt]\n  outputs: ["out/a#1.txt"]\n  retry: { attempts: 2, fix: { run: mkdir out } }\nsecond:\n  uses: command\n  with: { run: "cat out/a* > b.txt" }\n  inputs: ["out/a#1.txt"]\n  outputs: [b.txt]\nleak:\n  uses: command\n  passEnv: [LAB_TOKEN]\n  with: { run: "echo $LAB_TOKEN > leak.txt" }\n  outputs: [leak.txt]\nbad:\n  uses: command\n  needs: [first]\n  with: { run: "exit 3" }',
      ),
      'in.txt': 'input',
      LICENSE: 'MIT',
    });
    expect((await ended(project.start(['exec'], { LAB_TOKEN: 'hunter2-very-secret' }))).code).toBe(1);
  });
  const crate = (name: string): string => join(project.dir, name);
  const broken = (name: string): string[] => brokenRules(new Crate(crate(name)));

  it('makes a crate that keeps every rule of the profiles, with failed attempts in it', async () => {
    const end = await ended(
      project.start(['export', '--format', 'ro-crate', '--out', 'crate'], { LAB_TOKEN: 'hunter2-very-secret' }),
    );
    expect(end).toMatchObject({ code: 0, stdout: `${crate('crate')}\n` });
    expect(broken('crate')).toEqual([]);
    const graph: Entity[] = JSON.parse(project.read('crate/ro-crate-metadata.json'))['@graph'];
    const actions = graph.filter((entity) => entity['@type'] === 'CreateAction');
    const failed = actions.filter(({ actionStatus }) => String(actionStatus).endsWith('FailedActionStatus'));
    expect(failed.map(({ name, error }) => [name, error])).toContainEqual(['bad, attempt 1', 'exited with code 3']);
    expect(failed.map(({ name }) => name)).toContain('first, attempt 1');
    const made = graph.find(({ name }) => name === 'out/a#1.txt')!;
    expect(made).toMatchObject({ '@id': 'out/a%231.txt', sha256: createHash('sha256').update('input').digest('hex') });
    expect(project.read('crate/out/a#1.txt')).toBe('input');
    // What holds a secret is named and stays behind.
    expect(end.stderr).toContain('leak.txt is not in the crate: the value of a secret stands in it');
    expect(project.exists('crate/leak.txt')).toBe(false);
    expect(graph.find(({ '@id': id }) => id === '#missing/leak.txt')).toMatchObject({ '@type': 'CreativeWork' });
    // Beside the journal, the pages are there, and lead to the files of the crate.
    expect(project.read('crate/autoresearch-run/report.html')).toContain('href="../out/a%231.txt"');
  });

  it.each(crateRules.map((rule) => [`${rule.level} ${rule.section}: ${rule.rule}`, rule] as const))(
    'a crate that breaks it is found out: %s',
    (_, rule) => {
      const spoilt = new Crate(crate('crate'));
      rule.spoil(spoilt);
      expect(rule.broken(spoilt)).not.toEqual([]);
      expect(rule.broken(new Crate(crate('crate')))).toEqual([]);
    },
  );

  it('keeps the rules when all or nothing of a run was carried out again, and says what made the files then', async () => {
    const study = new Project({
      'autoresearch.config.yaml': configYaml(
        'one:\n  uses: command\n  with: { run: "echo 1 > one.txt" }\n  outputs: [one.txt]\ntwo:\n  uses: command\n  with: { run: "cat one.txt > two.txt" }\n  inputs: [one.txt]\n  outputs: [two.txt]',
      ),
    });
    for (const run of ['all', 'nothing']) {
      expect((await study.run('exec', '--new')).code).toBe(0);
      expect((await study.run('export', '--out', run)).code).toBe(0);
      expect(brokenRules(new Crate(join(study.dir, run)))).toEqual([]);
    }
    const kept = new Crate(join(study.dir, 'nothing'));
    expect(kept.all('OrganizeAction', 'ControlAction')).toEqual([]);
    expect(kept.get('#earlier/two')).toMatchObject({
      object: [{ '@id': 'one.txt' }],
      result: [{ '@id': 'two.txt' }],
      instrument: { '@id': '#tool/command' },
    });
  });

  it('does not pass off what was changed since as what the run made', async () => {
    project.write('out/a#1.txt', 'something else');
    const { stderr } = await project.run('export', '--out', 'changed');
    expect(stderr).toContain('out/a#1.txt is not in the crate: it was changed after the run');
    expect(project.exists('changed/out/a#1.txt')).toBe(false);
    expect(broken('changed')).toEqual([]);
  });

  it('of an iteration brings the record of its loop along, and leads to nothing that stayed at home', async () => {
    const loop = new LoopProject(['0.5', '0.7'], { iterate: { max: 2 } });
    expect((await loop.run('exec')).code).toBe(0);
    expect((await loop.run('export', '--format', 'ro-crate', '--out', 'crate')).code).toBe(0);
    expect(brokenRules(new Crate(join(loop.dir, 'crate')))).toEqual([]);
    expect(loop.read('crate/autoresearch-run/iterations.jsonl')).toBe(readFileSync(loop.recordFile, 'utf8'));
    const page = loop.read('crate/autoresearch-run/report.html');
    const section = /<section id="loop">.*?<\/section>/s.exec(page)![0];
    expect(section).toContain('no better than the best');
    expect([...section.matchAll(/<a class="file" href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      '../autoresearch-run/iterations.jsonl',
    ]);
  });

  it('writes into no folder that holds something', async () => {
    project.write('full/keep.txt', 'mine');
    const { code, stderr } = await project.run('export', '--out', 'full');
    expect(code).toBe(2);
    expect(stderr).toContain('AR641');
    expect(project.exists('full/ro-crate-metadata.json')).toBe(false);
  });
});
