import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { RecordingAgents } from '../../../src/adapters/agents/cassette/recording-agents.js';
import { CommandAgent } from '../../../src/adapters/agents/command/command-agent.js';
import { createCommandRunner } from '../../../src/adapters/command/command-runner.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { AgentAnswer, AgentRequest, AgentTrouble } from '../../../src/model/agents/agent.js';
import type { Agent } from '../../../src/model/generated/config.js';
import { until } from '../../support/until.js';
import {
  ask,
  cassettes,
  done,
  type Lab,
  lab,
  player,
  put,
  recorder,
  signals,
  textOf,
  treeOf,
} from './recording-rig.js';

const commands = createCommandRunner({ clock: systemClock, env: process.env, maxSlots: 2, graceMs: 200 });
afterAll(() => commands.close());

const callsIn = (where: Lab): readonly { readonly [name: string]: unknown }[] => JSON.parse(textOf(where)).calls;

describe('a recording', () => {
  it('is one file for people: settings, prompt by lines, answer and files', async () => {
    const here = lab();
    put(here.root, 'old', 'x');
    const agents = recorder(here, ({ cwd }) => {
      put(cwd, 'src/a.sh', 'echo\n', 0o755);
      put(cwd, 'b.bin', Buffer.from([0, 255]));
      symlinkSync('src/a.sh', join(cwd, 'l'));
      unlinkSync(join(cwd, 'old'));
      return { ...done, usd: 0.5, tokens: { input: 3, output: 4 }, turns: 2, model: 'm', session: { id: 's' } };
    });
    const answer = await ask(agents, here, {
      prompt: 'one\r\ntwo\n',
      scope: ['src/**'],
      replySchema: { title: 'work' },
    });
    expect(answer).toMatchObject({ ok: true, usd: 0.5, session: { id: 's' } });
    expect(cassettes(here)).toEqual([expect.stringMatching(/^author-coder-a-[0-9a-f]{32}\.json$/)]);
    expect(textOf(here)).toContain('\n  "prompt": [\n    "one",\n    "two",\n    ""\n  ],\n');
    expect(JSON.parse(textOf(here))).toEqual({
      version: 1,
      key: expect.any(String),
      settings: {
        role: 'author',
        agent: 'coder',
        task: 'a',
        model: 'tiny',
        access: 'write',
        scope: ['src/**'],
        helpers: 0,
        reply: 'work',
      },
      prompt: ['one', 'two', ''],
      calls: [
        {
          run: '7-abcd',
          backend: 'command',
          durationMs: expect.any(Number),
          model: 'm',
          turns: 2,
          recordedUsd: 0.5,
          tokens: { input: 3, output: 4 },
          session: true,
          answer: { ok: true, reply: { outcome: 'done', summary: 'ok' } },
          files: [
            { path: 'b.bin', mode: '644', base64: 'AP8=' },
            { path: 'l', link: 'src/a.sh' },
            { path: 'old', removed: true },
            { path: 'src/a.sh', mode: '755', text: ['echo', ''] },
          ],
        },
      ],
      digest: expect.any(String),
    });
    expect(here.said).toEqual([]);
  });

  it('of a real program is replayed without it, in another lab', async () => {
    const here = lab();
    put(here.root, 'a.txt', 'one\n');
    const agents = new RecordingAgents({
      ...here,
      clock: systemClock,
      agents: new CommandAgent({ commands, clock: systemClock, env: {}, words: ({ code }) => code }),
    });
    const run = `cat > got.txt; echo two >> a.txt; echo '{"outcome":"done","summary":"ok","usd":1}'`;
    const prompt = `look at ${here.root}/a.txt and ${here.home}/.cache; logs: ${here.root}/.autoresearch/main/runs/7-abcd/tasks/a/1/stdout.log\n`;
    await ask(agents, here, { prompt, agent: { backend: 'command', run } });
    const there = lab({ run: '1-zzzz' });
    put(there.root, 'a.txt', 'one\n');
    cpSync(here.folder, there.folder, { recursive: true });
    const asked = `look at ${there.root}/a.txt and ${there.home}/.cache; logs: ${there.root}/.autoresearch/lab2/runs/1-zzzz/tasks/a/3/stdout.log\n`;
    expect(await ask(player(there), there, { prompt: asked, agent: { backend: 'replay' } })).toMatchObject({
      ok: true,
      reply: { outcome: 'done', summary: 'ok', usd: 1 },
      usd: 0,
      tokens: { input: 0, output: 0 },
    });
    expect(treeOf(there.root)).toEqual(treeOf(here.root));
    expect(JSON.parse(textOf(here)).prompt[0]).toBe('look at <root>/a.txt and <home>/.cache; logs: <run>/stdout.log');
  });

  it.each<[string, Partial<AgentRequest>]>([
    ['prompt', { prompt: 'other' }],
    ['role', { role: 'fixer' }],
    ['name', { name: 'b' }],
    ['task', { task: 'b' }],
    ['model', { agent: { backend: 'command', model: 'large' } }],
    ['tools', { agent: { backend: 'command', model: 'tiny', tools: ['Read'] } }],
    ['temperature', { agent: { backend: 'command', model: 'tiny', temperature: 0 } }],
    ['access', { access: 'read' }],
    ['scope', { scope: ['src'] }],
    ['helpers', { helpers: 1 }],
    ['title', { replySchema: { title: 't' } }],
  ])('is another one for another %s', async (_, own) => {
    const here = lab();
    await ask(
      recorder(here, () => done),
      here,
      own,
    );
    expect(await ask(player(here), here)).toMatchObject({ ok: false, why: 'no-recording' });
    expect(await ask(player(here), here, own)).toMatchObject({ ok: true });
  });

  it('does not depend on backend, limits and the rest of the schema', async () => {
    const here = lab();
    await ask(
      recorder(here, () => done),
      here,
    );
    const agent: Agent = { backend: 'replay', model: 'tiny', limits: { usd: 9 }, args: ['-x'] };
    expect(await ask(player(here), here, { agent, replySchema: { type: 'string' } })).toMatchObject({ ok: true });
  });

  it('speaks of folders as wholes: /work is neither in /work-2 nor in a/work', async () => {
    const here = lab({ home: '/h', root: lab().root });
    await ask(
      recorder(here, () => done),
      here,
      { prompt: '/h/x /h-2 a/h /h. -I/h/i "/h" x\\n/h/y\n/h' },
    );
    expect(JSON.parse(textOf(here)).prompt).toEqual([
      '<home>/x /h-2 a/h <home>. -I<home>/i "<home>" x\\n<home>/y',
      '<home>',
    ]);
  });

  it('of a question that is asked again is a list; another run begins it anew, the same run goes on', async () => {
    const here = lab();
    const say = (summary: string): AgentAnswer => ({ ok: true, reply: { outcome: 'done', summary } });
    const replies = (): unknown[] =>
      callsIn(here).map((call) => (call as { answer: { reply: { summary: string } } }).answer.reply.summary);
    const says = ['1', '2', 'new 3', 'new 4'];
    const first = recorder(here, () => say(says.shift()!));
    await ask(first, here);
    await ask(first, here);
    expect(replies()).toEqual(['1', '2']);
    await ask(
      recorder(here, () => say('resumed')),
      here,
    );
    expect(replies()).toEqual(['1', '2', 'resumed']);
    const later = recorder({ ...here, run: '8-efgh' }, () => say(says.shift()!));
    await ask(later, here);
    await ask(later, here);
    expect(replies()).toEqual(['new 3', 'new 4']);
  });

  it.each<AgentTrouble>(['quota', 'overloaded', 'cancelled', 'timed-out', 'crashed', 'idle', 'not-logged-in'])(
    'is not made of %s, and what it changed goes into the next one',
    async (why) => {
      const here = lab();
      let count = 0;
      const agents = recorder(here, ({ cwd }) => {
        count += 1;
        put(cwd, `${count}`, 'x');
        return count === 1 ? { ok: false, why, detail: 'd' } : done;
      });
      expect(await ask(agents, here)).toEqual({ ok: false, why, detail: 'd' });
      expect(cassettes(here)).toEqual([]);
      expect(here.said).toEqual([`this call was not recorded: it ended with "${why}"`]);
      await ask(agents, here);
      expect(callsIn(here)).toMatchObject([{ files: [{ path: '1' }, { path: '2' }] }]);
    },
  );

  it.each<AgentTrouble>(['max-turns', 'refused', 'over-cap', 'looping', 'session-lost'])(
    'is made of %s',
    async (why) => {
      const here = lab();
      await ask(
        recorder(here, () => ({ ok: false, why, detail: 'no more' })),
        here,
      );
      expect(await ask(player(here), here)).toEqual({
        ok: false,
        why,
        detail: 'no more',
        usd: 0,
        tokens: { input: 0, output: 0 },
      });
    },
  );

  it('is made one call at a time, so that nobody gets the files of another', async () => {
    const here = lab();
    let open = 0;
    const agents = recorder(here, async ({ task, cwd }) => {
      open += 1;
      expect(open).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      put(cwd, task, 'x');
      open -= 1;
      return done;
    });
    await Promise.all(['a', 'b', 'c'].map((task) => ask(agents, here, { task })));
    const files = cassettes(here).map((name) => JSON.parse(textOf(here, name)).calls[0].files);
    expect(files).toMatchObject([[{ path: 'a' }], [{ path: 'b' }], [{ path: 'c' }]]);
  });

  it('whose turn has not come is given up at once when the run stops', async () => {
    const here = lab();
    let finish: (answer: AgentAnswer) => void = () => {};
    let asked = 0;
    const agents = recorder(here, () => {
      asked += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    const first = ask(agents, here);
    const stop = new AbortController();
    const request = {
      name: 'b',
      agent: { backend: 'command' },
      role: 'author',
      task: 'b',
      prompt: '',
      replySchema: {},
      access: 'read',
      helpers: 0,
      env: {},
      said: () => {},
      root: here.root,
      cwd: here.root,
      dir: here.root,
    } as const;
    const second = agents.ask(request, { ...signals, stop: stop.signal });
    await until(() => asked === 1);
    stop.abort();
    expect(await second).toMatchObject({ ok: false, why: 'cancelled' });
    const third = ask(agents, here, { task: 'c' });
    finish(done);
    expect(await first).toEqual(done);
    await until(() => asked === 2);
    finish(done);
    expect(await third).toEqual(done);
  });
});

describe('what cannot be recorded', () => {
  const big = Buffer.alloc(5_000_001, 'a');
  it.each<[string, (root: string) => void, string]>([
    ['a large file', (root) => put(root, 'big', big), 'big is larger than 5 MB'],
    [
      'many files',
      (root) => [1, 2, 3, 4, 5].map((n) => put(root, `f${n}`, big.subarray(0, 4_500_000))),
      'it changed more than 20 MB of files',
    ],
    [
      'a link to the outside',
      (root) => symlinkSync('/etc', join(root, 'l')),
      'the link "l" to "/etc" leads out of the project folder',
    ],
    ['a pipe', (root) => execFileSync('mkfifo', [join(root, 'p')]), 'p is no plain file'],
    [
      'a name that is no text',
      (root) => writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xe9])]), 'x'),
      '%e9 cannot be read',
    ],
    ['a setuid program', (root) => put(root, 's', 'x', 0o4755), 's has the mode 4755'],
  ])('%s: the answer comes, and the gap stays a gap', async (_, deed, why) => {
    const here = lab();
    let count = 0;
    const agents = recorder(here, ({ cwd }) => {
      count += 1;
      if (count === 2) deed(cwd);
      return { ok: true, reply: { count } };
    });
    for (const n of [1, 2, 3]) expect(await ask(agents, here)).toEqual({ ok: true, reply: { count: n } });
    expect(here.said).toEqual([`this call was not recorded: ${why}`]);
    const there = lab({ folder: here.folder });
    const replay = player(there);
    expect(await ask(replay, there)).toMatchObject({ reply: { count: 1 } });
    expect(await ask(replay, there)).toMatchObject({
      why: 'no-recording',
      detail: expect.stringContaining(`was not recorded: ${why}`),
    });
    expect(await ask(replay, there)).toMatchObject({ reply: { count: 3 } });
  });

  it('takes the place of an older recording, so that nobody is answered with that', async () => {
    const here = lab();
    await ask(
      recorder(here, () => done),
      here,
    );
    const later = { ...here, run: '8-efgh' };
    await ask(
      recorder(later, ({ cwd }) => {
        put(cwd, 'big', big);
        return done;
      }),
      later,
    );
    expect(callsIn(here)).toEqual([{ run: '8-efgh', notRecorded: 'big is larger than 5 MB' }]);
  });

  it('work outside of the project folder', async () => {
    const here = lab();
    await ask(
      recorder(here, () => done),
      here,
      { cwd: here.home, root: here.root },
    );
    expect(here.said).toEqual(['this call was not recorded: the agent worked outside of the project folder']);
  });

  it('anything, while there is a file where the folder should be; nothing is taken for the first call later', async () => {
    const here = lab();
    writeFileSync(here.folder, '');
    const agents = recorder(here, () => done);
    expect(await ask(agents, here)).toEqual(done);
    expect(here.said).toEqual([expect.stringContaining('this call was not recorded: EEXIST')]);
    rmSync(here.folder);
    await ask(agents, here);
    expect(callsIn(here)).toMatchObject([{ notRecorded: expect.any(String) }, { answer: { ok: true } }]);
  });
});

describe('secrets', () => {
  const secret = 'correct-horse-battery';
  const shaped = `ghp_${'a1B2'.repeat(9)}`;
  const hide = (text: string): string => text.replaceAll(secret, '[redacted]');

  it('are nowhere in the folder: not in prompt, settings, reply, tool output or files', async () => {
    const here = lab({ hide });
    const agents = recorder(here, ({ cwd }) => {
      put(
        cwd,
        'conf.py',
        `key = make(x)\nurl = "https://me:${secret}@host"\nt = '${shaped}'\napi_key = "s3cr3t-s3cr3t"\n`,
      );
      put(cwd, '.env', 'HF_TOKEN=s3cr3t-s3cr3t\n');
      return {
        ok: true,
        reply: {
          outcome: 'done',
          summary: `used ${secret}`,
          output: [`Bearer ${shaped}`],
          password: 's3cr3t-s3cr3t',
          [secret]: 1,
        },
      };
    });
    await ask(agents, here, { prompt: `use ${secret} or ${shaped}, password: s3cr3t-s3cr3t`, scope: [`${secret}/**`] });
    await ask(
      recorder(here, () => ({ ok: false, why: 'refused', detail: `said ${secret} and ${shaped}` })),
      here,
      { task: 'b' },
    );
    expect(cassettes(here)).toHaveLength(2);
    for (const text of [secret, shaped, 's3cr3t']) expect(spawnSync('grep', ['-rF', text, here.folder]).status).toBe(1);
    expect(here.said).toEqual(
      ['.env', 'conf.py'].map((path) => `${path} is recorded without its secrets, and will be replayed so`),
    );
    const files = JSON.parse(textOf(here, cassettes(here)[0])).calls[0].files;
    expect(files[1].text).toContain('key = make(x)');
  });

  it('are not seen where there is only code, which has to work when it is replayed', async () => {
    const here = lab();
    const code = [
      'key = make(x)',
      'rows.sort(key=operator.itemgetter(1), reverse=True)',
      'tokenizer.pad_token = "<|endoftext|>"',
      'sort_key: "column_2"',
      'def login(password: str, token: Token) -> None:',
      'export HF_TOKEN=$(cat ~/.token)',
      'api_key = os.environ["API_KEY"]',
      'see https://example.org:8080/a@b',
    ].join('\n');
    await ask(
      recorder(here, ({ cwd }) => {
        put(cwd, 'a.py', code);
        return done;
      }),
      here,
    );
    expect(callsIn(here)).toMatchObject([{ files: [{ text: code.split('\n') }] }]);
    expect(here.said).toEqual([]);
  });

  it.each<[string, (root: string) => void]>([
    ['bytes', (root) => put(root, 'b', Buffer.concat([Buffer.from([0, 255]), Buffer.from(secret)]))],
    ['wide letters', (root) => put(root, 'b', Buffer.from(secret, 'utf16le'))],
    ['a name', (root) => put(root, secret, 'x')],
    ['a link', (root) => symlinkSync(secret, join(root, 'l'))],
  ])('in %s cannot be taken out, so nothing is kept', async (_, deed) => {
    const here = lab({ hide });
    await ask(
      recorder(here, ({ cwd }) => {
        deed(cwd);
        return done;
      }),
      here,
    );
    expect(here.said).toEqual([expect.stringContaining('holds a secret')]);
    expect(callsIn(here)).toEqual([{ run: '7-abcd', notRecorded: expect.any(String) }]);
    const content = readdirSync(here.folder)
      .map((name) => textOf(here, name))
      .join();
    for (const form of [secret, Buffer.from(secret).toString('base64').slice(0, 20)])
      expect(content).not.toContain(form);
  });

  it('do not matter for the key: a lab with another secret asks the same', async () => {
    const here = lab({ hide });
    await ask(
      recorder(here, () => done),
      here,
      { prompt: `log in with ${secret}` },
    );
    const there = lab({ folder: here.folder, hide: (text) => text.replaceAll('sesame', '[redacted]') });
    expect(await ask(player(there), there, { prompt: 'log in with sesame' })).toMatchObject({ ok: true });
  });
});

describe('the folder of cassettes', () => {
  it('stays as it is while an agent answers from it in a run that records', async () => {
    const here = lab();
    const agents = recorder(here, () => done);
    for (let call = 0; call < 2; call += 1) await ask(agents, here);
    const before = textOf(here);
    const later = { ...here, run: '8-efgh' };
    const both = new RecordingAgents({ ...later, clock: systemClock, agents: player(later) });
    const agent: Agent = { backend: 'replay', model: 'tiny' };
    for (let call = 0; call < 2; call += 1) expect(await ask(both, later, { agent })).toMatchObject(done);
    expect(textOf(here)).toBe(before);
  });

  it('is not itself recorded, nor is what the runner writes meanwhile', async () => {
    const here = lab();
    await ask(
      recorder(here, ({ cwd }) => {
        for (const path of ['cassettes/x.json', 'logs/errors.log', '.autoresearch/x', '.git/x']) put(cwd, path, 'x');
        mkdirSync(join(cwd, 'empty'));
        return done;
      }),
      here,
    );
    const name = cassettes(here).find((each) => each !== 'x.json');
    expect(JSON.parse(textOf(here, name)).calls[0].files).toEqual([]);
  });
});
