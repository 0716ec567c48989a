import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelScript, ModelTurn } from '../../support/fake-anthropic.js';
import { HeldClock } from '../../support/held-clock.js';
import { until } from '../../support/until.js';
import { type Asked, ask, done, home, marked, read, reply, runs, uses, writes } from './claude-rig.js';

describe('what the real claude may do', { timeout: 240_000 }, () => {
  it('that may only read writes nothing, however it tries', async () => {
    const cwd = mkdtempSync(join(home, 'work-'));
    writeFileSync(join(cwd, 'old.txt'), 'old\n');
    const file_path = join(cwd, 'old.txt');
    const tries = [
      uses('Read', { file_path }),
      writes(join(cwd, 'new.txt')),
      uses('Edit', { file_path, old_string: 'old', new_string: 'new' }),
      uses('Bash', { command: `echo new > ${cwd}/bash.txt`, description: 'write' }),
      reply,
    ];
    for (const tools of [undefined, ['Read', 'Write', 'Edit', 'Edit(/**)']]) {
      const { answer, fake } = await ask(tries, { cwd, access: 'read', agent: tools ? { tools } : {} });
      expect(await answer).toMatchObject({ ok: true, reply: done });
      expect(fake.requests).toHaveLength(5);
      expect(readdirSync(cwd)).toEqual(['old.txt']);
      expect(read(file_path)).toBe('old\n');
    }
  });

  it('writes in its folder and its scope alone, and says what it was not allowed', async () => {
    const cwd = mkdtempSync(join(home, 'work-'));
    const tries = (files: readonly string[]): ModelTurn[] => [...files.map((file) => writes(join(cwd, file))), reply];
    const wide = await ask(tries(['a.txt', '../outside.txt']), { cwd });
    expect(await wide.answer).toMatchObject({ ok: true });
    expect([existsSync(join(cwd, 'a.txt')), existsSync(join(home, 'outside.txt'))]).toEqual([true, false]);
    expect(wide.said).toContain('was not allowed to use Write (1×)');
    const narrow = await ask(tries(['in/b.txt', 'c.txt', 'd/c.txt', 'e.txt', 'd/in/f.txt']), {
      cwd,
      scope: ['in/**', 'c.txt'],
      agent: { tools: ['Write', 'Edit(/e.txt)'] },
    });
    expect(await narrow.answer).toMatchObject({ ok: true });
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(['a.txt', 'c.txt', 'in', 'in/b.txt']);
  });

  it('has no shell where the config names none', async () => {
    const tries = [uses('Bash', { command: 'echo hi > shell.txt', description: 'write' }), reply];
    const { answer, cwd } = await ask(tries, { agent: { tools: ['Read', 'Write'] } });
    expect(await answer).toMatchObject({ ok: true });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('is not changed by hooks, settings and memories of the user or the project', async () => {
    const cwd = mkdtempSync(join(home, 'work-'));
    const own = mkdtempSync(join(home, 'own-'));
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `touch ${home}/hooked` }] }] };
    const settings = JSON.stringify({ hooks, permissions: { allow: ['Bash'] }, env: { ANTHROPIC_MODEL: 'tiny' } });
    for (const folder of [join(cwd, '.claude'), own]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'settings.json'), settings);
      writeFileSync(join(folder, 'CLAUDE.md'), 'REMEMBER THE PELICAN\n');
    }
    const { answer, fake } = await ask([reply], { cwd, runner: { CLAUDE_CONFIG_DIR: own } });
    expect(await answer).toMatchObject({ ok: true });
    expect(existsSync(join(home, 'hooked'))).toBe(false);
    expect(fake.requests[0]!.text).not.toContain('PELICAN');
    expect(fake.requests[0]!.model).not.toBe('tiny');
  });

  it('may start as many helpers as it is allowed, without a shell, and no more', async () => {
    const starts = (type: string, count: number): ModelTurn => ({
      tools: Array.from({ length: count }, () => ({
        name: 'Agent',
        input: { description: 'look', prompt: 'SUBPROMPT', subagent_type: type },
      })),
    });
    const script =
      (type: string, count: number): ModelScript =>
      (request) => {
        if (!request.text.includes('StructuredOutput')) return { text: 'I looked.' };
        return request.messages.some(({ role }) => role === 'assistant') ? reply : starts(type, count);
      };
    const one = await ask(script('helper', 1), { helpers: 1 });
    expect(await one.answer).toMatchObject({ ok: true, reply: done });
    const sub = one.fake.requests.find(({ tools }) => !tools.includes('StructuredOutput'))!;
    expect(sub.tools).toEqual(expect.arrayContaining(['Read', 'Edit']));
    expect(sub.tools).not.toEqual(expect.arrayContaining(['Bash']));
    const other = await ask(script('general-purpose', 1), { helpers: 1 });
    await other.answer;
    expect(other.fake.requests.every(({ tools }) => tools.includes('StructuredOutput'))).toBe(true);
    const two = await ask(script('helper', 2), { helpers: 1 });
    expect(await two.answer).toMatchObject({ ok: false, why: 'too-many-helpers' });
    const none = await ask(script('helper', 1), { helpers: 0 });
    expect(await none.answer).toMatchObject({ ok: false, why: 'too-many-helpers' });
    expect(none.fake.requests.every(({ tools }) => tools.includes('StructuredOutput'))).toBe(true);
  });

  describe('is ended with all that it started', () => {
    const command = 'setsid sleep 1234 & sleep 4321';
    const busy = [uses('Bash', { command, description: 'wait', timeout: 600_000 })];
    const atWork = ({ mark }: Asked): boolean => runs(mark, 'sleep 1234') && runs(mark, 'sleep 4321');

    it('when it is silent for too long', async () => {
      const clock = new HeldClock();
      const asked = await ask(busy, { agent: { limits: { idle: '3s' } }, clock });
      await until(() => atWork(asked));
      clock.letGo();
      expect(await asked.answer).toMatchObject({ ok: false, why: 'idle', session: { id: expect.any(String) } });
      expect(marked(asked.mark)).toEqual([]);
    });

    it('when it takes too long, while the model does not answer', async () => {
      const asked = await ask([{ hang: 'silent' }], { agent: { limits: { timeout: '3s', usd: 1 } } });
      const answer = await asked.answer;
      expect(answer).toMatchObject({ ok: false, why: 'timed-out' });
      expect(answer).not.toHaveProperty('usd');
      expect(marked(asked.mark)).toEqual([]);
    });

    it('when the run is stopped', async () => {
      const asked = await ask(busy);
      await until(() => atWork(asked));
      asked.stop.abort('SIGINT');
      expect(await asked.answer).toMatchObject({ ok: false, why: 'cancelled' });
      expect(marked(asked.mark)).toEqual([]);
    });

    it('when it has answered', async () => {
      const leaves = uses('Bash', {
        command: 'setsid sleep 1234 >/dev/null 2>&1 </dev/null & true',
        description: 'leave',
      });
      const asked = await ask((request) => {
        if (!request.messages.some(({ role }) => role === 'assistant')) return leaves;
        return { ...reply, delayMs: 1500 };
      });
      await until(() => runs(asked.mark, 'sleep 1234'));
      expect(await asked.answer).toMatchObject({ ok: true, reply: done });
      expect(marked(asked.mark)).toEqual([]);
    });
  });
});
