import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';

const dist = resolve(import.meta.dirname, '../../dist');
const ours = `.${process.versions.v8}.cache`;
const caches = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ours));
// Caches are for the Node that built; the suite also runs on others, which have none.
const hasCaches = caches(dist).length > 0;

const home = mkdtempSync(join(tmpdir(), 'code-cache-'));
afterAll(() => rmSync(home, { recursive: true }));
writeFileSync(
  join(home, 'autoresearch.config.ts'),
  "export default { name: 'a', stages: { b: { uses: 'command', with: { run: 'true' } } } };\n",
);

/** The program with its caches treated in some way. */
function copied(treat: (file: string) => void): string {
  const folder = mkdtempSync(join(home, 'dist-'));
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  for (const name of caches(join(folder, 'dist'))) treat(join(folder, 'dist', name));
  for (const beside of ['stages', 'schemas', 'pipelines', 'package.json'])
    cpSync(resolve(dist, '..', beside), join(folder, beside), { recursive: true });
  return join(folder, 'dist/bin.cjs');
}

/** The files that a command loads, and whether what was kept of each was refused. */
function taken(cwd: string, args: readonly string[]): [string, boolean | undefined][] {
  const script = `const { runProgram } = require(${JSON.stringify(join(dist, 'code-cache.cjs'))});
const seen = [];
process.on('exit', () => console.error(JSON.stringify(seen)));
process.argv.splice(1, process.argv.length, 'bin.cjs', ...${JSON.stringify(args)});
runProgram(${JSON.stringify(join(dist, 'cli.cjs'))}, require, (file, { cachedDataRejected }) =>
  seen.push([require('node:path').basename(file), cachedDataRejected]));`;
  const { stderr } = spawnSync(process.execPath, ['-e', script], { cwd, encoding: 'utf8' });
  return JSON.parse(stderr.trim().split('\n').at(-1)!) as [string, boolean | undefined][];
}

const plan = (bin: string): string => execFileSync(process.execPath, [bin, 'plan'], { cwd: home, encoding: 'utf8' });

describe('what was compiled when the program was built', () => {
  it.runIf(hasCaches)('is taken by the Node that built it', () => {
    const seen = taken(home, ['plan']);
    expect(seen).toContainEqual(['cli.cjs', false]);
    expect(seen).toContainEqual(['cli-commands-plan.cjs', false]);
    expect(seen.filter(([, rejected]) => rejected === true)).toEqual([]);
  });

  it.runIf(hasCaches)('is still taken after a run of many tasks, in which V8 has other settings', () => {
    const folder = mkdtempSync(join(home, 'many-'));
    const only = { uses: 'command', with: { run: 'true' }, matrix: { i: Array.from({ length: 60 }, (_, i) => i) } };
    writeFileSync(join(folder, 'autoresearch.config.json'), JSON.stringify({ name: 'many', stages: { only } }));
    const seen = taken(folder, ['exec', '--reporter', 'silent']);
    expect(seen).toContainEqual(['cli-report-after-run.cjs', false]);
    expect(seen.filter(([, rejected]) => rejected === true)).toEqual([]);
  });

  it('counts only for the files of the program: one beside the file of a study is not looked at', () => {
    const folder = mkdtempSync(join(home, 'planted-'));
    const config = (name: string): string =>
      `module.exports = { name: '${name}', stages: { b: { uses: 'command', with: { run: 'true' } } } };\n`;
    const file = join(folder, 'study.cjs');
    const made = new Script(Module.wrap(config('evil')), { filename: file }).createCachedData();
    writeFileSync(file, config('good'));
    writeFileSync(`${file}${ours}`, made);
    writeFileSync(join(folder, 'autoresearch.config.ts'), "import study from './study.cjs';\nexport default study;\n");
    const said = execFileSync(process.execPath, [join(dist, 'bin.cjs'), 'plan'], { cwd: folder, encoding: 'utf8' });
    expect(said).toContain('good · 1 task in 1 wave');
  });

  it('is ASCII, so that V8 needs one byte for each letter, and escapes mean what was written', () => {
    const parts = [dist, join(dist, 'vendor')].flatMap((folder) =>
      readdirSync(folder).flatMap((name) => (name.endsWith('.cjs') ? [join(folder, name)] : [])),
    );
    expect(parts.filter((file) => /[^\0-\x7f]/.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('makes no difference to what is said: without it, with one that is cut short, and with rubbish', () => {
    const said = plan(join(dist, 'bin.cjs'));
    expect(said).toContain('a · 1 task in 1 wave');
    expect(plan(copied((file) => rmSync(file)))).toBe(said);
    expect(plan(copied((file) => truncateSync(file, 100)))).toBe(said);
    expect(plan(copied((file) => writeFileSync(file, 'rubbish')))).toBe(said);
  });
});
