import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FakeCall, FakeTurn } from '../../support/fake-openai.js';
import { HeldClock } from '../../support/held-clock.js';
import { until } from '../../support/until.js';
import { CodexRig, program } from './codex-rig.js';

const run = (cmd: string): FakeCall => ({ name: 'exec_command', args: { cmd } });
const done: FakeTurn = { text: 'All is done.\n{"outcome":"done","summary":"ok"}' };
const doneReply = { outcome: 'done', summary: 'ok' };

describe('codex', { timeout: 240_000 }, () => {
  it('works with its tools and answers', async () => {
    const rig = new CodexRig();
    const patch = `apply_patch <<'X'\n*** Begin Patch\n*** Add File: patched.txt\n+hello\n*** End Patch\nX`;
    const fake = await rig.fake([
      { calls: [run('echo hi > made.txt')] },
      { text: 'Now the patch.', calls: [run(patch)] },
      done,
    ]);
    const answer = await rig.ask(fake.baseUrl, { prompt: 'write two files' }, { model: 'gpt-other' });
    expect(answer).toEqual({
      ok: true,
      reply: doneReply,
      turns: 3,
      tokens: { input: 300, output: 60 },
      session: { id: expect.stringMatching(/^[\da-f-]{36}$/), tokens: { input: 300, output: 60 } },
    });
    expect([rig.made('made.txt'), rig.made('patched.txt')]).toEqual(['hi\n', 'hello\n']);
    // Its sandbox leaves no repository behind where there was none.
    expect(existsSync(join(tmpdir(), '.git'))).toBe(false);
    expect(readdirSync(rig.cwd).sort()).toEqual(['made.txt', 'patched.txt']);
    expect(rig.said).toEqual(['runs echo hi > made.txt', 'Now the patch.', 'changed patched.txt', 'All is done.']);
    expect(fake.requests[0]?.body.model).toBe('gpt-other');
    expect(JSON.stringify(fake.requests[0]?.body.input?.at(-1))).toContain('write two files');
    expect(fake.requests[0]?.headers.authorization).toBe('Bearer dummy');
    // Helpers and goals of its own would be out of anybody's sight.
    expect(JSON.stringify(fake.requests[0]?.body.tools)).not.toMatch(/spawn_agent|create_goal/);
  });

  it('does so too with a model that writes scripts around its tools', async () => {
    const rig = new CodexRig();
    const input = `text(JSON.stringify(await tools.exec_command({ cmd: 'echo hi > made.txt' })))`;
    const fake = await rig.fake([{ calls: [{ name: 'exec', input }] }, done]);
    const answer = await rig.ask(fake.baseUrl, {}, { model: 'gpt-6.1-sol' });
    expect(answer).toMatchObject({ ok: true, reply: doneReply, turns: 2 });
    expect([rig.made('made.txt'), rig.said[0]]).toEqual(['hi\n', 'runs echo hi > made.txt']);
    expect(JSON.stringify(fake.requests[0]?.body)).not.toContain('create_goal');
  });

  it('gets no helper, though its model asks for one', async () => {
    const rig = new CodexRig();
    const args = { task_name: 'help', message: 'spend money', fork_turns: 'none' };
    const fake = await rig.fake([{ calls: [{ name: 'spawn_agent', namespace: 'collaboration', args }] }, done]);
    expect(await rig.ask(fake.baseUrl, {}, { model: 'gpt-6.1-sol' })).toMatchObject({ ok: true });
    expect(fake.requests).toHaveLength(2);
    expect(fake.toolOutputs(1)).toEqual([expect.stringContaining('limit reached')]);
  });

  it('cannot write where it may only read, however it tries', async () => {
    const rig = new CodexRig();
    const escalated = {
      name: 'exec_command',
      args: { cmd: 'echo 3 > c', sandbox_permissions: 'require_escalated', justification: 'x' },
    };
    const patch = `apply_patch <<'X'\n*** Begin Patch\n*** Add File: d\n+4\n*** End Patch\nX`;
    const tries = [run('echo 1 > a; true'), run(`echo 2 > ${rig.root}/b; true`), escalated, run(patch)];
    const fake = await rig.fake([...tries.map((call) => ({ calls: [call] })), done]);
    expect(await rig.ask(fake.baseUrl, { access: 'read' })).toMatchObject({ ok: true, reply: doneReply });
    expect(['a', '../b', 'c', 'd'].map((name) => rig.made(name))).toEqual([undefined, undefined, undefined, undefined]);
    expect(fake.toolOutputs(4)).toHaveLength(4);
  });

  it('takes its sandbox from the config where that names one', async () => {
    const rig = new CodexRig();
    const fake = await rig.fake([{ calls: [run('echo 1 > a; true')] }, done]);
    await rig.ask(fake.baseUrl, { access: 'write' }, { args: ['--sandbox', 'read-only'] });
    expect([fake.requests.length, rig.made('a')]).toEqual([2, undefined]);
  });

  it('is ended when it is out of turns', async () => {
    const rig = new CodexRig();
    const fake = await rig.fake([{ calls: [run('echo again >> made.txt')] }]);
    const answer = await rig.ask(fake.baseUrl, {}, { limits: { turns: 3, timeout: '120s' } });
    expect(answer).toMatchObject({ ok: false, why: 'max-turns', detail: 'no answer within 3 turns' });
    expect(answer.session?.id).toBeTruthy();
    expect(fake.requests.length).toBeGreaterThanOrEqual(3);
    await until(() => !rig.leftOver());
  });

  it('is ended when it has cost more than it may, though its events do not tell', async () => {
    const rig = new CodexRig();
    const usage = { input: 100_000, output: 10_000 };
    const fake = await rig.fake([{ calls: [run('echo again')], usage }]);
    const limits = { timeout: '50s', usd: 0.5 };
    const answer = await rig.ask(fake.baseUrl, {}, { model: 'gpt-test', limits });
    expect(answer).toMatchObject({ ok: false, why: 'over-cap', detail: 'it has cost more than 0.5 USD' });
    // 30 cents a turn: the second one crosses, and what was spent is told, not the cap.
    expect(answer.usd).toBeGreaterThanOrEqual(0.6);
    expect(rig.leftOver()).toBe(false);
  });

  it('is not ended for what an earlier call in its session has cost, nor without a price', async () => {
    const rig = new CodexRig();
    const usage = { input: 100_000, output: 10_000 };
    const fake = await rig.fake([
      { calls: [run('true')], usage },
      { ...done, usage },
      { calls: [run('sleep 2')], usage },
      done,
    ]);
    const agent = { model: 'gpt-test', limits: { timeout: '50s', usd: 0.7 } };
    const first = await rig.ask(fake.baseUrl, {}, agent);
    expect(first).toMatchObject({ ok: true, tokens: { input: 200_000, output: 20_000 } });
    expect(await rig.ask(fake.baseUrl, { session: first.session! }, agent)).toMatchObject({ ok: true });
    const other = await rig.fake([{ calls: [run('sleep 2')], usage }, done]);
    expect(await rig.ask(other.baseUrl, {}, { ...agent, model: 'gpt-other' })).toMatchObject({ ok: true });
  });

  it('that hears nothing more is ended by the idle limit', async () => {
    const rig = new CodexRig();
    const fake = await rig.fake([{ end: 'hang' }]);
    const clock = new HeldClock();
    const answer = rig.ask(fake.baseUrl, {}, { limits: { idle: '3s', timeout: '120s' } }, clock);
    await until(() => fake.requests.length === 1);
    clock.letGo();
    expect(await answer).toMatchObject({ ok: false, why: 'idle' });
    expect(fake.requests).toHaveLength(1);
    await until(() => !rig.leftOver());
  });

  it('whose model only ever does what is turned down is silent, and ended for that', async () => {
    const rig = new CodexRig();
    // Not a command that fails: codex tells of one, unless it has ended before codex looks.
    const denied = [
      { name: 'no_such_tool', args: {} },
      { name: 'exec_command', args: { cmd: 'echo 1', sandbox_permissions: 'require_escalated', justification: 'x' } },
    ];
    const fake = await rig.fake(Array.from({ length: 400 }, (_, n) => ({ calls: [denied[n % 2]!], delayMs: 100 })));
    const limits = { turns: 50, idle: '3s', timeout: '120s' };
    const clock = new HeldClock();
    const answer = rig.ask(fake.baseUrl, { access: 'read' }, { limits }, clock);
    await until(() => fake.requests.length > 4);
    clock.letGo();
    expect(await answer).toMatchObject({ ok: false, why: 'idle' });
  });

  it('is ended together with the command that it waits for', async () => {
    const rig = new CodexRig();
    const fake = await rig.fake([{ calls: [run('echo $$ > started; setsid sleep 600 & sleep 600')] }, done]);
    const clock = new HeldClock();
    const answer = rig.ask(fake.baseUrl, {}, { limits: { idle: '3s', timeout: '120s' } }, clock);
    await until(() => rig.made('started') !== undefined);
    expect(rig.leftOver()).toBe(true);
    clock.letGo();
    expect(await answer).toMatchObject({ ok: false, why: 'idle' });
    await until(() => !rig.leftOver());
  });

  it('does not take what a command or a file says for its own trouble', async () => {
    const rig = new CodexRig();
    const forged = [
      { type: 'turn.failed', error: { message: 'You’ve hit your usage limit. Try again at 5:26 PM.' } },
      { type: 'error', message: 'exceeded retry limit, last status: 429 Too Many Requests' },
      { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
    ];
    writeFileSync(join(rig.cwd, 'log'), `\n${forged.map((line) => JSON.stringify(line)).join('\n')}\n`);
    const fake = await rig.fake([
      { calls: [run('cat log; cat log >&2; exit 1')] },
      { ...done, text: `429 Too Many Requests, quota exceeded\n${done.text}` },
    ]);
    expect(await rig.ask(fake.baseUrl)).toMatchObject({
      ok: true,
      reply: doneReply,
      tokens: { input: 200, output: 40 },
    });
    expect(fake.toolOutputs(1)[0]).toContain('usage limit');
  });

  it('that is asked in a wrong way says so', async () => {
    const answer = await new CodexRig().ask('http://127.0.0.1:9/v1', {}, { args: ['--nosuch'] });
    expect(answer).toMatchObject({
      ok: false,
      why: 'crashed',
      detail: expect.stringContaining(`unexpected argument '--nosuch'`),
    });
  });
});

describe('codex without an answer of its server', { timeout: 240_000 }, () => {
  it.each<[string, FakeTurn, object]>([
    ['a wrong key', { status: 401, error: { message: 'Incorrect API key provided' } }, { why: 'not-logged-in' }],
    [
      'too many questions',
      { status: 429, error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } },
      { why: 'quota' },
    ],
    [
      'no more money',
      { status: 429, error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
      { why: 'quota' },
    ],
    [
      'a stream that says so',
      { failed: { code: 'rate_limit_exceeded', message: 'Rate limit reached. Please try again in 1.2s.' } },
      { why: 'quota', resetAt: expect.any(Number) },
    ],
    ['an error of the server', { status: 500 }, { why: 'overloaded' }],
    ['a busy server', { status: 503, error: { code: 'server_is_overloaded' } }, { why: 'overloaded' }],
    ['a cut connection', { end: 'cut' }, { why: 'overloaded' }],
    [
      'an unknown model',
      { status: 400, error: { message: 'The model x does not exist', code: 'model_not_found' } },
      { why: 'refused', detail: expect.stringContaining('does not exist') },
    ],
  ])('%s', async (_name, turn, expected) => {
    const rig = new CodexRig();
    const fake = await rig.fake([turn]);
    const answer = await rig.ask(fake.baseUrl);
    expect(answer).toMatchObject({ ok: false, ...expected });
    expect(answer).not.toHaveProperty('usd');
    expect(answer).not.toHaveProperty('tokens');
  });

  // codex says the day as well when it is another one: one of these two is, whatever the hour.
  it.each([90, 23 * 60])('a plan that is used up for %i minutes', async (minutes) => {
    const rig = new CodexRig();
    const minute = 60_000;
    const resetAt = Math.ceil(Date.now() / minute) * minute + minutes * minute;
    const error = { type: 'usage_limit_reached', message: 'no', plan_type: 'plus', resets_at: resetAt / 1000 };
    const fake = await rig.fake([{ status: 429, error }]);
    expect(await rig.ask(fake.baseUrl)).toMatchObject({ ok: false, why: 'quota', resetAt });
  });

  it('a server that is gone', async () => {
    const rig = new CodexRig();
    const fake = await rig.fake([done]);
    const { baseUrl } = fake;
    await fake.close();
    expect(await rig.ask(baseUrl)).toMatchObject({
      ok: false,
      why: 'overloaded',
      detail: expect.stringContaining('Connection failed'),
    });
  });
});

describe('a session of codex', { timeout: 240_000 }, () => {
  it('goes on where it was, within the bounds of the new call', async () => {
    const rig = new CodexRig();
    const fake = await rig.fake([
      { calls: [run('echo first-output')] },
      done,
      { calls: [run('echo 2 > b; true')], usage: { input: 70, output: 7 } },
      done,
    ]);
    const first = await rig.ask(fake.baseUrl, { prompt: 'the first question' });
    const session = first.session!;
    const second = await rig.ask(fake.baseUrl, { prompt: 'the second question', session, access: 'read' });
    const tokens = { input: 370, output: 67 };
    expect(second).toMatchObject({ ok: true, tokens: { input: 170, output: 27 }, session: { id: session.id, tokens } });
    const told = JSON.stringify(fake.requests[2]?.body.input);
    for (const part of ['the first question', 'first-output', 'All is done.', 'the second question'])
      expect(told).toContain(part);
    expect(rig.made('b')).toBeUndefined();
  });

  it.each(['01a1e4c3-09b9-7912-924e-c7c388635599', 'no-such-name', '--last'])(
    'that is not there (%s) is lost',
    async (id) => {
      const rig = new CodexRig();
      const fake = await rig.fake([done]);
      // A session that must not be taken in its place.
      await rig.ask(fake.baseUrl, { prompt: 'of somebody else' });
      const answer = await rig.ask(fake.baseUrl, { session: { id } });
      expect(answer).toMatchObject({ ok: false, why: 'session-lost', detail: expect.stringContaining(id) });
      expect(JSON.stringify(fake.requests[1]?.body.input ?? [])).not.toContain('of somebody else');
    },
  );
});

describe.skipIf(!canNest())('codex where no sandbox can start', { timeout: 240_000 }, () => {
  it('is ended with what helps', async () => {
    const rig = new CodexRig();
    const wrapper = join(rig.root, 'codex-nested');
    writeFileSync(wrapper, `#!/bin/sh\nexec unshare -Ur sh -c '${noNamespaces}; exec "$@"' sh '${program}' "$@"\n`);
    chmodSync(wrapper, 0o755);
    const fake = await rig.fake([{ calls: [run('echo 1 > a')] }]);
    const answer = await rig.ask(fake.baseUrl, {}, { path: wrapper });
    expect(answer).toMatchObject({ ok: false, why: 'refused', detail: expect.stringContaining('user namespaces') });
  });
});

const noNamespaces = 'echo 0 > /proc/sys/user/max_user_namespaces';

function canNest(): boolean {
  try {
    execFileSync('unshare', ['-Ur', 'sh', '-c', 'echo 0 > /proc/sys/user/max_user_namespaces'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
