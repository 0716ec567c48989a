import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../src/adapters/command/command-runner.js';
import { Notifier } from '../../src/adapters/person/notifier.js';
import { systemClock } from '../../src/adapters/system-clock.js';
import { FakeClock } from '../support/fake-clock.js';
import { until } from '../support/until.js';

const commands = createCommandRunner({ clock: systemClock, env: process.env, maxSlots: 2, graceMs: 5000 });

afterAll(() => commands.close());

function notifier() {
  const dir = mkdtempSync(join(tmpdir(), 'autoresearch-notify-'));
  const clock = new FakeClock();
  const problems: string[] = [];
  const made = new Notifier({
    commands,
    clock,
    cwd: dir,
    dir: join(dir, 'notify'),
    onProblem: (text) => problems.push(text),
  });
  const read = (name: string): string => readFileSync(join(dir, name), 'utf8');
  return { made, clock, problems, read, dir };
}

describe('notifications', () => {
  it('run one after the other, in the project, with the event on their standard input', async () => {
    const { made, read, problems } = notifier();
    made.send({ run: 'cat >> got; echo "$WHO" >> got', input: '{"n":1}', env: { WHO: 'first' } });
    made.send({ run: 'cat >> got; echo "$WHO" >> got', input: '{"n":2}', env: { WHO: 'second' } });
    await made.close();
    expect(read('got')).toBe('{"n":1}\nfirst\n{"n":2}\nsecond\n');
    expect(problems).toEqual([]);
  });

  it('that fail are told of once and written down; those after them are still sent', async () => {
    const { made, read, problems, dir } = notifier();
    made.send({ run: 'echo oh no >&2; exit 7', input: '{}', env: {} });
    made.send({ run: 'exit 8', input: '{}', env: {} });
    made.send({ run: 'echo yes > got', input: '{}', env: {} });
    await made.close();
    expect(problems).toEqual([`a notification exited with code 7; the run goes on (see ${dir}/notify/notify.log)`]);
    expect(read('notify/notify.log')).toMatch(/oh no\n1 exited with code 7\n.*\n2 exited with code 8\n/);
    expect(read('got')).toBe('yes\n');
  });

  it('that hang are ended', async () => {
    const { made, clock, problems, dir } = notifier();
    made.send({ run: 'echo here > started; sleep 1000', input: '{}', env: {} });
    await until(() => existsSync(join(dir, 'started')));
    clock.advance(30_000);
    await made.close();
    expect(problems[0]).toMatch(/^a notification was ended by SIGTERM; the run goes on/);
  });

  it('cannot fill the disk', async () => {
    const { made, problems, dir } = notifier();
    made.send({ run: 'yes aaaa', input: '{}', env: {} });
    await made.close();
    expect(problems[0]).toMatch(/^a notification was ended by SIGXFSZ/);
    expect(statSync(join(dir, 'notify/notify.log')).size).toBeLessThan(11_000_000);
  });

  it('do not keep a run from ending', async () => {
    const { made, clock, problems, dir } = notifier();
    made.send({ run: 'echo here > started; sleep 1000', input: '{}', env: {} });
    await until(() => existsSync(join(dir, 'started')));
    const closed = made.close();
    clock.advance(10_000);
    await closed;
    expect(problems).toEqual(['the last notifications took too long and were given up']);
    clock.advance(60_000);
  });
});
