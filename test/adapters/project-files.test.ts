import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { longBytes } from '../../src/adapters/disk/file-digest.js';
import { openProjectFiles, type ProjectFiles } from '../../src/adapters/disk/project-files.js';
import type { FileStamp } from '../../src/model/fingerprint.js';
import { evidenceOf } from '../../src/run/gates/shown.js';
import { until } from '../support/until.js';

const dir = mkdtempSync(join(tmpdir(), 'autoresearch-files-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const data = join(dir, 'data.bin');
const large = (letter: string): string => letter.repeat(100_000);
const soon = (): number => Date.now() + 60_000;

/** Files that know of `data.bin` what a journal of an earlier run would tell: a lie here shows whether it is believed. */
async function knowing(stamp: FileStamp): Promise<ProjectFiles> {
  const files = await openProjectFiles(dir, { globs: false });
  files.remember('data.bin', { stamp, digest: 'as it was', lasting: true });
  return files;
}

async function stampNow(): Promise<FileStamp> {
  return (await openProjectFiles(dir, { globs: false })).stamp('data.bin')!;
}

/** A change in the same tick of the kernel's clock has the same times: only another tick makes another stamp. */
const tick = async (): Promise<void> => {
  const before = statSync(data, { bigint: true }).ctimeNs;
  const probe = join(dir, 'probe');
  await until(() => {
    writeFileSync(probe, 'x');
    return statSync(probe, { bigint: true }).ctimeNs > before;
  });
};

describe('a digest that a journal tells', () => {
  it('is believed while the file has the stamp it had', async () => {
    writeFileSync(data, large('a'));
    const files = await knowing(await stampNow());
    expect(files.digest('data.bin')).toBe('as it was');
    expect(files.still().digest('data.bin')).toBe('as it was');
  });

  const edits: [string, () => void][] = [
    [
      'an edit in place of the same size with its time set back',
      () => {
        const { atime, mtime } = statSync(data);
        writeFileSync(data, large('b'), { flag: 'r+' });
        utimesSync(data, atime, mtime);
      },
    ],
    [
      'touch -r after an edit',
      () => {
        execFileSync('touch', ['-r', data, join(dir, 'reference')]);
        writeFileSync(data, large('c'));
        execFileSync('touch', ['-r', join(dir, 'reference'), data]);
      },
    ],
    [
      'another file of the same size and time renamed over it',
      () => {
        writeFileSync(join(dir, 'other'), large('d'));
        execFileSync('touch', ['-r', data, join(dir, 'other')]);
        renameSync(join(dir, 'other'), data);
      },
    ],
    [
      'an edit through a hard link',
      () => {
        linkSync(data, join(dir, 'alias'));
        const { atime, mtime } = statSync(data);
        writeFileSync(join(dir, 'alias'), large('e'), { flag: 'r+' });
        utimesSync(join(dir, 'alias'), atime, mtime);
        rmSync(join(dir, 'alias'));
      },
    ],
  ];
  it.each(edits)('is not believed after %s', async (_name, edit) => {
    rmSync(data, { force: true });
    writeFileSync(data, large('a'));
    utimesSync(data, 1_600_000_000, 1_600_000_000);
    const before = await stampNow();
    await tick();
    edit();
    expect((await stampNow()).mtimeNs).toBe(before.mtimeNs);
    expect((await stampNow()).size).toBe(before.size);
    expect((await knowing(before)).digest('data.bin')).not.toBe('as it was');
    expect((await knowing(before)).still().digest('data.bin')).not.toBe('as it was');
  });
});

describe('a stamp that later runs may believe', () => {
  it('is given for a large file that has been left alone', async () => {
    writeFileSync(data, large('a'));
    const files = await openProjectFiles(dir, { globs: false, now: soon });
    expect(files.lastingStamp?.('data.bin')).toBeUndefined();
    files.digest('data.bin');
    expect(files.lastingStamp?.('data.bin')).toEqual(files.stamp('data.bin'));
  });

  it.each([
    ['was changed a moment ago', large('a'), Date.now],
    ['comes from the future', large('a'), () => 1_000_000],
    ['is small', 'small', soon],
  ])('is not given for a file that %s', async (_name, content, now) => {
    writeFileSync(data, content);
    const files = await openProjectFiles(dir, { globs: false, now });
    files.digest('data.bin');
    expect(files.lastingStamp?.('data.bin')).toBeUndefined();
  });

  it('is not given for a file that was set back in time but changed a moment ago', async () => {
    writeFileSync(data, large('a'));
    utimesSync(data, 1_600_000_000, 1_600_000_000);
    const files = await openProjectFiles(dir, { globs: false });
    files.digest('data.bin');
    expect(files.lastingStamp?.('data.bin')).toBeUndefined();
  });

  it('is not repeated for what the journal tells as an output', async () => {
    writeFileSync(data, large('a'));
    const files = await openProjectFiles(dir, { globs: false, now: soon });
    files.remember('data.bin', { stamp: await stampNow(), digest: 'as it was', lasting: false });
    expect(files.digest('data.bin')).toBe('as it was');
    expect(files.lastingStamp?.('data.bin')).toBeUndefined();
  });
});

describe('a still view', () => {
  it('sees a file as it was when it was first looked at, and the next view as it is', async () => {
    writeFileSync(data, 'one');
    const files = await openProjectFiles(dir, { globs: false });
    const still = files.still();
    expect(still.expand(['data.bin', 'missing'])).toEqual(['data.bin']);
    writeFileSync(join(dir, 'missing'), 'now it is there');
    rmSync(data);
    expect(still.expand(['data.bin', 'missing'])).toEqual(['data.bin']);
    expect(files.still().expand(['data.bin', 'missing'])).toEqual(['missing']);
    expect(files.expand(['data.bin', 'missing'])).toEqual(['missing']);
  });

  it('is shared within one turn of the loop, until somebody asks for what is there by now', async () => {
    writeFileSync(data, 'one');
    const files = await openProjectFiles(dir, { globs: false });
    const [long, short] = [{ size: 8 }, { size: 3 }];
    const size = (): unknown => files.recent().stamp('data.bin');
    expect(size()).toMatchObject(short);
    writeFileSync(data, 'one more');
    await Promise.resolve();
    expect(size()).toMatchObject(short);
    expect(files.still().stamp('data.bin')).toMatchObject(long);
    expect(size()).toMatchObject(long);
    writeFileSync(data, 'one');
    expect(size()).toMatchObject(long);
    await new Promise(setImmediate);
    expect(size()).toMatchObject(short);
  });

  it('says whether it had to read something for long, so that others look again', async () => {
    writeFileSync(data, 'one');
    const files = await openProjectFiles(dir, { globs: false });
    const { signal } = new AbortController();
    expect(await files.readAhead!(['data.bin', 'missing'], signal)).toBe(false);
    truncateSync(data, longBytes);
    expect(await files.readAhead!(['data.bin', 'missing'], signal)).toBe(true);
    expect(await files.readAhead!(['data.bin', 'missing'], signal)).toBe(false);
  });
});

describe('a folder with our name', () => {
  it('is ours only at the top of the project: deeper it is a folder like any other', async () => {
    const study = join(dir, 'study');
    const files = ['.autoresearch/x', 'src/.autoresearch/x', 'src/.git/x', 'src/a'];
    for (const name of files) {
      mkdirSync(dirname(join(study, name)), { recursive: true });
      writeFileSync(join(study, name), name);
    }
    symlinkSync('..', join(study, 'src/up'));
    const inside = await openProjectFiles(study, { globs: true });
    expect(inside.expand(['src'])).toEqual(['src/.autoresearch/x', 'src/a']);
    expect(inside.expand(['src/**'])).toContain('src/.autoresearch/x');
    const beside = await openProjectFiles(join(study, 'src'), { globs: false });
    expect(beside.expand(['..'])).not.toContain('../.autoresearch/x');
  });
});

describe('names with a line break', () => {
  const names = [
    'out/a\nb.txt',
    'out/deep/a\nb/c.txt',
    'out/c\rd.txt',
    'out/e\u2028f.txt',
    'out/end.txt\n',
    'out/plain.txt',
  ];
  const place = join(dir, 'odd');
  for (const name of names) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), name);
  }
  mkdirSync(join(place, 'out/.git/a\nb'), { recursive: true });
  writeFileSync(join(place, 'out/.git/a\nb/c.txt'), '');

  it.each([
    ['out/**', names],
    ['**', names],
    ['out', names],
    ['out/*', names.filter((name) => name !== 'out/deep/a\nb/c.txt')],
    ['out/**/*.txt', names.filter((name) => name !== 'out/end.txt\n')],
    ['out/deep/**', ['out/deep/a\nb/c.txt']],
    ['out/{a,b}*', ['out/a\nb.txt']],
    ['other/**', []],
  ])('are found by %s like all others', async (pattern, found) => {
    const files = await openProjectFiles(place, { globs: true });
    expect(files.expand([pattern])).toEqual([...found].sort());
  });

  it('are part of what a gate shows, to the byte', async () => {
    const files = await openProjectFiles(place, { globs: true });
    const before = evidenceOf(['out/**'], files);
    expect(before.map(({ path }) => path)).toEqual([...names].sort());
    writeFileSync(join(place, 'out/deep/a\nb/c.txt'), 'swapped');
    const after = evidenceOf(['out/**'], await openProjectFiles(place, { globs: true }));
    expect(after.filter(({ digest }, index) => digest !== before[index]!.digest)).toMatchObject([
      { path: 'out/deep/a\nb/c.txt' },
    ]);
  });
});
