import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Cassette, cassetteText, type RecordedFile } from '../../../src/adapters/agents/cassette/cassette.js';
import type { AgentAnswer } from '../../../src/model/agents/agent.js';
import { canonicalJson } from '../../../src/model/json.js';
import { ask, cassettes, done, type Lab, lab, player, put, recorder, textOf, treeOf } from './recording-rig.js';

const free = { usd: 0, tokens: { input: 0, output: 0 } };

async function recorded(deed?: (root: string) => void): Promise<Lab> {
  const here = lab();
  const agents = recorder(here, ({ cwd }) => {
    deed?.(cwd);
    return done;
  });
  await ask(agents, here);
  return here;
}

/** A cassette by somebody who knows how to make the digest fit. */
async function forged(change: (cassette: Cassette) => unknown): Promise<Lab> {
  const here = await recorded();
  const { digest: _, ...content } = JSON.parse(textOf(here));
  const changed = change(content) as object;
  const digest = hash('sha256', canonicalJson(changed)).slice(0, 32);
  writeFileSync(join(here.folder, cassettes(here)[0]!), JSON.stringify({ ...changed, digest }));
  return here;
}

const withFiles = (files: readonly unknown[]): Promise<Lab> =>
  forged((cassette) => ({ ...cassette, calls: [{ ...cassette.calls[0], files }] }));

describe('a replay', () => {
  it('leaves prompt and reply where every backend leaves them', async () => {
    const here = await recorded();
    const dir = mkdtempSync(join(tmpdir(), 'call-'));
    expect(await ask(player(here), here, { dir })).toEqual({ ...done, ...free });
    expect(readFileSync(join(dir, 'prompt.md'), 'utf8')).toBe('do it\n');
    expect(JSON.parse(readFileSync(join(dir, 'reply.json'), 'utf8'))).toEqual({ outcome: 'done', summary: 'ok' });
  });

  it('of an answer without a reply has none, and a session only where there was one', async () => {
    const here = lab();
    const answers: AgentAnswer[] = [
      { ok: true, reply: undefined },
      { ok: true, reply: {}, session: { id: 'x' }, model: 'm', turns: 3 },
    ];
    const agents = recorder(here, () => answers.shift()!);
    await ask(agents, here);
    await ask(agents, here);
    const replay = player(here);
    expect(await ask(replay, here)).toEqual({ ok: true, reply: undefined, ...free });
    const session = { id: expect.stringMatching(/^replay-[0-9a-f]{32}-2$/) };
    expect(await ask(replay, here)).toEqual({ ok: true, reply: {}, ...free, session, model: 'm', turns: 3 });
  });

  it('says how often was asked and recorded', async () => {
    const here = await recorded();
    const replay = player(here);
    await ask(replay, here);
    expect(await ask(replay, here)).toEqual({
      ok: false,
      why: 'no-recording',
      detail: `this was asked 2 times, but cassettes/${cassettes(here)[0]} was recorded once; record it with \`autoresearch exec --record\``,
      ...free,
    });
  });

  it('without a folder, or with an empty one, says how to record', async () => {
    const here = lab();
    expect(await ask(player(here), here)).toMatchObject({
      why: 'no-recording',
      detail: `there is no folder ${here.folder} with recordings; record it with \`autoresearch exec --record\``,
    });
    mkdirSync(here.folder);
    expect(await ask(player(here), here)).toMatchObject({
      detail:
        'there is no recording of this question in cassettes, nor of any other; record it with `autoresearch exec --record`',
    });
    rmSync(here.folder, { recursive: true });
    writeFileSync(here.folder, '');
    expect(await ask(player(here), here)).toMatchObject({
      why: 'no-recording',
      detail: expect.stringContaining('there is no folder'),
    });
  });

  it('is cancelled with the run', async () => {
    const here = await recorded();
    const signals = { stop: AbortSignal.abort('SIGINT'), kill: new AbortController().signal };
    const request = {
      name: 'coder',
      agent: { backend: 'replay' },
      role: 'author',
      task: 'a',
      prompt: 'do it\n',
      replySchema: {},
      access: 'write',
      helpers: 0,
      env: {},
      said: () => {},
      root: here.root,
      cwd: here.root,
      dir: here.root,
    } as const;
    expect(await player(here).ask(request, signals)).toMatchObject({ ok: false, why: 'cancelled' });
  });

  it('of a question that is not there shows how it differs from the nearest', async () => {
    const here = lab();
    const agents = recorder(here, () => done);
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    await ask(agents, here, { prompt: 'something else entirely' });
    await ask(agents, here, { prompt: lines.join('\n') });
    await ask(agents, here, { prompt: lines.join('\n').replace('line 3\n', 'line three\n'), task: 'b' });
    const near = cassettes(here).find((name) => name.includes('coder-a') && textOf(here, name).includes('line 3'))!;
    const dir = mkdtempSync(join(tmpdir(), 'call-'));
    const asked = [...lines.slice(0, 10), 'a \u001b[31mnew\u001b[0m line', ...lines.slice(10, 20), ...lines.slice(21)];
    const agent = { backend: 'replay', model: 'large' } as const;
    expect(await ask(player(here), here, { prompt: asked.join('\n'), agent, dir })).toEqual({
      ok: false,
      why: 'no-recording',
      detail: [
        `there is no recording of this question in cassettes. The nearest is ${near} (- recorded, + asked):`,
        '  model: recorded with "tiny", asked with "large"',
        '  + a \ufffd[31mnew\ufffd[0m line',
        '  - line 20',
        `All of the difference: ${dir}/missing-recording.diff`,
        'Record it with `autoresearch exec --record`',
      ].join('\n'),
      ...free,
    });
    expect(readFileSync(join(dir, 'missing-recording.diff'), 'utf8')).toBe(
      [
        '--- recorded',
        '+++ asked',
        'model: recorded with "tiny", asked with "large"',
        ...lines.slice(0, 10).map((line) => `  ${line}`),
        '+ a \u001b[31mnew\u001b[0m line',
        ...lines.slice(10, 20).map((line) => `  ${line}`),
        '- line 20',
        ...lines.slice(21).map((line) => `  ${line}`),
        '',
      ].join('\n'),
    );
  });

  it('shows no more than a dozen lines of a long difference', async () => {
    const here = lab();
    await ask(
      recorder(here, () => done),
      here,
      { prompt: 'a\n'.repeat(3000) },
    );
    const answer = await ask(player(here), here, { prompt: `${'b'.repeat(500)}\n`.repeat(3000) });
    const lines = (answer as { detail: string }).detail.split('\n');
    expect(lines).toHaveLength(1 + 12 + 1 + 2);
    expect(lines[13]).toBe('  … and 5988 more changed lines');
    expect(Math.max(...lines.slice(1, 14).map((line) => line.length))).toBeLessThan(170);
  });
});

describe('a cassette that is not what was recorded', () => {
  it.each<[string, (file: string) => void, string]>([
    ['cut short', (file) => truncateSync(file, 300), 'it is not whole JSON'],
    ['empty', (file) => writeFileSync(file, ''), 'it is not whole JSON'],
    [
      'edited',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"summary": "ok"', '"summary": "better"')),
      'it was edited: its digest does not fit what is in it',
    ],
    [
      'with another prompt',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"do it"', '"do that"')),
      'it was edited: its digest does not fit what is in it',
    ],
    [
      'of another version',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"version": 1', '"version": 2')),
      'its version is 2, and only 1 is known',
    ],
    ['nested without end', (file) => writeFileSync(file, `${'['.repeat(200_000)}${']'.repeat(200_000)}`), 'it'],
    [
      'a folder',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
      'it is no plain file',
    ],
    [
      'a link to something private',
      (file) => {
        renameSync(file, `${file}.x`);
        symlinkSync('/etc/passwd', file);
      },
      'it is no plain file',
    ],
    [
      'a pipe that nobody writes to',
      (file) => {
        rmSync(file);
        execFileSync('mkfifo', [file]);
      },
      'it is no plain file',
    ],
  ])('%s: file and fault are named', async (_, spoil, fault) => {
    const here = await recorded();
    const name = cassettes(here)[0]!;
    spoil(join(here.folder, name));
    const answer = await ask(player(here), here);
    expect(answer).toMatchObject({ ok: false, why: 'no-recording' });
    expect(
      (answer as { detail: string }).detail.startsWith(`the recording cassettes/${name} cannot be used: ${fault}`),
    ).toBe(true);
  });

  it('of another question under the name of this one', async () => {
    const here = await recorded();
    const name = cassettes(here)[0]!;
    await ask(
      recorder(here, () => done),
      here,
      { prompt: 'other' },
    );
    const other = cassettes(here).find((each) => each !== name)!;
    cpSync(join(here.folder, other), join(here.folder, name));
    expect(await ask(player(here), here)).toMatchObject({
      detail: expect.stringContaining('its name does not fit the question in it'),
    });
  });

  it.each<[string, (call: object) => unknown]>([
    ['a trouble that nobody records', (call) => ({ ...call, answer: { ok: false, why: 'cancelled', detail: '' } })],
    ['a trouble from the prototype', (call) => ({ ...call, answer: { ok: false, why: 'constructor', detail: '' } })],
    ['a reply that is a list', (call) => ({ ...call, answer: { ok: true, reply: [] } })],
    ['a file without content', (call) => ({ ...call, files: [{ path: 'a', mode: '644' }] })],
    ['a setuid file', (call) => ({ ...call, files: [{ path: 'a', mode: '4755', text: ['x'] }] })],
    ['base64 that is none', (call) => ({ ...call, files: [{ path: 'a', mode: '644', base64: '!!' }] })],
    ['money below nothing', (call) => ({ ...call, recordedUsd: -1 })],
    ['no call', () => null],
  ])('with %s', async (_, change) => {
    const here = await forged((cassette) => ({ ...cassette, calls: [change(cassette.calls[0]!)] }));
    expect(await ask(player(here), here)).toMatchObject({
      why: 'no-recording',
      detail: expect.stringContaining('its call 1 is not in the form of a recording'),
    });
  });
});

describe('a hostile cassette', () => {
  const text = ['owned'];
  const tricks: [string, unknown][] = [
    ['/tmp/owned', { path: '/tmp/autoresearch-owned', mode: '644', text }],
    ['..', { path: '../owned', mode: '644', text }],
    ['a/../../owned', { path: 'a/../../owned', mode: '644', text }],
    ['./x', { path: './owned', mode: '644', text }],
    ['a//b', { path: 'a//b', mode: '644', text }],
    ['nothing', { path: '', mode: '644', text }],
    ['NUL', { path: 'a\0b', mode: '644', text }],
    ['.git', { path: '.git/hooks/pre-commit', mode: '755', text }],
    ['.GIT', { path: '.GIT/config', mode: '644', text }],
    ['.git with an invisible letter', { path: '.g\u200cit/config', mode: '644', text }],
    ['a nested .git', { path: 'sub/.git', mode: '644', text }],
    ['.autoresearch', { path: '.autoresearch/main/ledger.jsonl', mode: '644', text }],
    ['its own folder', { path: 'cassettes/more.json', mode: '644', text }],
    ['our log', { path: 'logs/errors.log', removed: true }],
    ['a package', { path: 'node_modules/x/index.js', mode: '644', text }],
    ['an absolute link', { path: 'l', link: '/etc' }],
    ['a link upwards', { path: 'd/l', link: '../../x' }],
    ['a link that climbs after a name', { path: 'd/l', link: 'up/../x' }],
    ['a link into .git', { path: 'l', link: '.git/hooks' }],
    ['a link to the parent', { path: 'l', link: '..' }],
    ['a removal outside', { path: '../home-file', removed: true }],
    ['through a link that is there', { path: 'out/owned', mode: '644', text }],
    ['a removal through a link that is there', { path: 'out/victim', removed: true }],
    ['a link through a link that is there', { path: 'out/l', link: 'x' }],
    ['a removed folder', { path: 'src', removed: true }],
    ['a file for a folder with files', { path: 'src', mode: '644', text }],
    ['too much', { path: 'big', mode: '644', text: ['x'.repeat(5_000_001)] }],
  ];
  it.each(tricks)('%s: nothing is written, inside or outside', async (_, file) => {
    const here = await withFiles([{ path: 'fine', mode: '644', text: ['x'] }, file]);
    const outside = join(here.home, 'outside');
    put(outside, 'victim', 'v');
    put(here.home, 'home-file', 'h');
    put(here.root, 'src/a', 'a');
    put(here.root, '.git/HEAD', 'ref');
    put(here.root, 'logs/errors.log', 'e');
    symlinkSync('../outside', join(here.root, 'out'));
    const before = treeOf(here.home);
    const answer = await ask(player(here), here);
    expect(answer).toMatchObject({ ok: false, why: 'no-recording', ...free });
    expect((answer as { detail: string }).detail).toMatch(/^the recording cassettes\/\S+\.json cannot be used: /);
    const { 'study/fine': fine, ...after } = treeOf(here.home);
    // Only what the disk itself refuses is found out after the first file was written.
    if (_ !== 'a file for a folder with files') expect(fine).toBeUndefined();
    expect(after).toEqual(before);
    expect(existsSync('/tmp/autoresearch-owned')).toBe(false);
  });

  it.each<[string, readonly RecordedFile[]]>([
    [
      'a link and a file below it',
      [
        { path: 'd', link: 'e' },
        { path: 'd/x', mode: '644', text },
      ],
    ],
    [
      'a file twice',
      [
        { path: 'd', mode: '644', text },
        { path: 'd', removed: true },
      ],
    ],
    [
      'more than a call may change',
      Array.from({ length: 5 }, (_, n) => ({ path: `f${n}`, mode: '644', text: ['x'.repeat(4_500_000)] })),
    ],
  ])('with %s', async (_, files) => {
    const here = await withFiles(files);
    const before = treeOf(here.root);
    expect(await ask(player(here), here)).toMatchObject({ why: 'no-recording' });
    expect(treeOf(here.root)).toEqual(before);
  });

  it('a link that stands where a file goes is replaced and not followed', async () => {
    const here = await withFiles([{ path: 'a', mode: '644', text: ['new'] }]);
    put(here.home, 'victim', 'v');
    symlinkSync('../victim', join(here.root, 'a'));
    expect(await ask(player(here), here)).toMatchObject({ ok: true });
    expect(treeOf(here.root)).toEqual({ a: '644 new' });
    expect(readFileSync(join(here.home, 'victim'), 'utf8')).toBe('v');
  });

  it('a folder that was swapped for a link since it was recorded is not written through', async () => {
    const here = await recorded((root) => put(root, 'src/a', 'new'));
    const there = lab({ folder: here.folder });
    mkdirSync(join(there.home, 'elsewhere'));
    symlinkSync('../elsewhere', join(there.root, 'src'));
    expect(await ask(player(there), there)).toMatchObject({
      why: 'no-recording',
      detail: expect.stringContaining('"src/a" would be written through "src", which is no folder here'),
    });
    expect(readdirSync(join(there.home, 'elsewhere'))).toEqual([]);
  });

  it('does not reach the prototypes', async () => {
    const here = await forged((cassette) =>
      JSON.parse(JSON.stringify(cassette).replace('"outcome":"done"', '"__proto__":{"admin":true}')),
    );
    const answer = await ask(player(here), here);
    expect(answer).toMatchObject({ ok: true });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('the forger of these tests is able to forge', async () => {
    const here = await withFiles([{ path: 'fine', mode: '600', text: ['x', ''] }]);
    expect(await ask(player(here), here)).toMatchObject({ ok: true });
    expect(treeOf(here.root)).toEqual({ fine: '600 x\n' });
    const cassette = JSON.parse(textOf(here)) as Cassette;
    expect(JSON.parse(cassetteText(cassette))).toEqual(cassette);
  });
});
