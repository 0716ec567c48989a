import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const study = (protect: readonly string[], more: object = {}, stage: object = {}): Project =>
  new Project({
    'autoresearch.config.json': JSON.stringify({
      name: 'study',
      protect,
      stages: {
        make: { uses: 'command', with: { run: 'mkdir -p out; echo 1 > out/a.json' }, outputs: ['out/a.json'] },
        use: { uses: 'command', needs: ['make'], with: { run: 'cp out/a.json b' }, outputs: ['b'], ...stage },
      },
      ...more,
    }),
    'eval/metrics.py': 'x\n',
    'eval/empty/deep/x.yaml': 'x\n',
  });

describe('an entry of protect that matches nothing', () => {
  it.each([
    ['eval/metrcs.py', 'Did you mean "eval/metrics.py"? '],
    ['evl/**', 'Did you mean "eval/**"? '],
    ['evl/metrics.py', 'Did you mean "eval/metrics.py"? '],
    ['eval/**/metrcs.py', 'Did you mean "eval/**/metrics.py"? '],
    ['**/metrcs.py', 'Did you mean "**/metrics.py"? '],
    ['eval/*.yaml', ''],
    ['tests/**', ''],
  ])('is an error, before anything runs: %s', async (pattern, near) => {
    const project = study(['eval/metrics.py', pattern]);
    const { code, stderr } = await project.run('exec');
    expect(stderr).toContain(`AR514 protect: ${pattern} matches no file, and no stage makes one`);
    expect(stderr.replace(/\s+/g, ' ')).toContain(`${near}Correct the path`);
    expect(stderr).toContain('autoresearch.config.json:1:');
    expect(code).toBe(2);
    expect((await project.run('plan')).stdout).toContain('AR514');
  });

  it.each(['lnk/**', 'lnk/metrics.py', './lnk/empty/**/*.yaml', 'deep/lnk/*.py'])(
    'is an error when it leads through a link: %s',
    async (pattern) => {
      const project = study([pattern]);
      symlinkSync('eval', join(project.dir, 'lnk'));
      mkdirSync(join(project.dir, 'deep'));
      symlinkSync('../eval', join(project.dir, 'deep/lnk'));
      const { code, stderr } = await project.run('exec');
      const link = pattern.startsWith('deep') ? 'deep/lnk' : 'lnk';
      expect(stderr).toContain(`AR514 protect: ${pattern} leads through ${link}, which is a symbolic link`);
      expect(code).toBe(2);
      const itself = study([link]);
      mkdirSync(join(itself.dir, 'deep'));
      symlinkSync('eval', join(itself.dir, link));
      expect(await itself.run('exec', '--reporter', 'plain')).toMatchObject({ code: 0 });
    },
  );

  it('is an error of a stage as well', async () => {
    const { code, stderr } = await study([], {}, { protect: ['evall/**'] }).run('exec');
    expect(stderr).toContain('AR514 protect: evall/** matches no file');
    expect(code).toBe(2);
  });

  it.each([
    ['what is there, however deep', ['eval/**/*.yaml', 'eval/empty'], {}],
    ['what must not appear anywhere', ['**/conftest.py'], {}],
    ['what another stage makes', [], { protect: ['out/**'] }],
  ])('is none where it is %s', async (_, protect, stage) => {
    expect(await study(protect, {}, stage).run('exec', '--reporter', 'plain')).toMatchObject({ code: 0 });
  });

  it('may be what a preset has in mind, but not what a study gives to it', async () => {
    const preset = 'vars: { more: [none/**] }\nprotect: ["absent/**", "{{vars.more}}"]\n';
    const project = study([], { extends: ['./lab.yaml'], protect: { $append: [] } });
    project.write('lab.yaml', preset);
    expect(await project.run('exec', '--reporter', 'plain')).toMatchObject({ code: 0 });
    const given = study([], { extends: ['./lab.yaml'], protect: { $append: [] }, vars: { more: ['evl/**'] } });
    given.write('lab.yaml', preset);
    expect((await given.run('exec')).stderr).toContain('AR514 protect: evl/** matches no file');
  });

  it('is a violation, and no mistake, when its files went away while a run was under way', async () => {
    const project = study(['eval/metrics.py'], {}, { with: { run: 'exit 1' } });
    expect(await project.run('exec', '--reporter', 'plain')).toMatchObject({ code: 1 });
    const { rmSync } = await import('node:fs');
    rmSync(`${project.dir}/eval/metrics.py`);
    expect(await project.run('exec')).toMatchObject({ code: 4 });
  });
});
