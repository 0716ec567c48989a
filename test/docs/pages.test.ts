import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';
import { blocksOf, followPage, readPage } from './page.js';

const root = resolve(import.meta.dirname, '../..');

/** A page is a dozen commands, and a machine may be busy. */
const timeout = 120_000;

describe('pages that a newcomer follows', () => {
  it.each(['docs/start-here.md', 'docs/presets.md'])(
    '%s: every command does what the page says',
    { timeout },
    async (page) => {
      expect(await followPage(page, new Project())).toEqual([]);
    },
  );

  it.each(readdirSync(join(root, 'examples')))(
    'examples/%s: every command of its page works as it is written',
    { timeout },
    async (name) => {
      const project = new Project();
      // What somebody has run in the clone is not a part of it.
      const asked = ['ls-files', '-co', '--exclude-standard', '-z'];
      const { stdout } = spawnSync('git', asked, { cwd: join(root, 'examples', name), encoding: 'utf8' });
      const files = stdout.split('\0').filter((file) => file !== '');
      for (const file of files) cpSync(join(root, 'examples', name, file), join(project.dir, 'my-study', file));
      expect(blocksOf(readPage(`examples/${name}/README.md`)).some(({ language }) => language === 'sh')).toBe(true);
      expect(await followPage(`examples/${name}/README.md`, project)).toEqual([]);
    },
  );

  it('a project that links to a clone can start the program, however often that was built', () => {
    const { stdout, status } = spawnSync(join(root, 'dist/bin.cjs'), ['--version'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  it('the picture of the plan is what the tool draws', async () => {
    const project = new Project();
    await project.run('init', 'my-study');
    const { stdout } = await project.run('plan', '--cwd', 'my-study', '--graph', 'svg');
    expect(stdout).toBe(readFileSync(join(root, 'docs/img/start-plan.svg'), 'utf8'));
  });
});

it('a page that lies is found out', async () => {
  const page = 'test/docs/lies.md';
  const blocks = blocksOf(readPage(page)).map(({ language, more, line }) => [language, more, line]);
  expect(blocks).toEqual([
    ['json', 'a/b.json', 3],
    ['sh', '', 7],
    ['text', '', 11],
    ['sh', 'exit=3', 15],
  ]);
  expect(await followPage(page, new Project())).toEqual([
    `${page}:11 is not what is printed:\n{}\n`,
    `${page}:15 ended with 4, not 3:\n`,
  ]);
});

/** Markdown of ours, wherever it lies. */
const pages = ['.', 'docs', 'docs/recipes', 'pipelines', 'examples', 'stages']
  .flatMap((folder) => {
    const here = readdirSync(join(root, folder), { withFileTypes: true });
    const below = ['examples', 'stages'].includes(folder) ? here.filter((one) => one.isDirectory()) : [];
    return [
      ...here.filter(({ name }) => name.endsWith('.md')).map(({ name }) => join(folder, name)),
      ...below.map(({ name }) => join(folder, name, 'README.md')),
    ];
  })
  .filter((page) => existsSync(join(root, page)));

it.each(pages)('every link of %s leads somewhere', (page) => {
  const text = readPage(page).replace(/^```[\s\S]*?^```$/gm, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((found) => found[1]!).filter((link) => !/^\w+:/.test(link));
  const lost = links.filter((link) => {
    const [path, anchor] = link.split('#');
    const file = path === '' ? join(root, page) : resolve(root, dirname(page), path!);
    if (!existsSync(file)) return true;
    return anchor !== undefined && file.endsWith('.md') && !anchorsOf(readFileSync(file, 'utf8')).has(anchor);
  });
  expect(lost).toEqual([]);
});

it.each(pages.filter((page) => page.startsWith('examples/')))(
  'no command of %s wants a program on the PATH',
  (page) => {
    const lines = blocksOf(readPage(page)).flatMap(({ text }) => text.split('\n'));
    expect(lines.filter((line) => /^\s*autoresearch\b/.test(line))).toEqual([]);
  },
);

/** As GitHub makes them from headings. */
const anchorsOf = (markdown: string): ReadonlySet<string> =>
  new Set(
    [...markdown.matchAll(/^#+ (.+)$/gm)].map((found) =>
      found[1]!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
