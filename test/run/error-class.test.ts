import { describe, expect, test } from 'vitest';
import type { ErrorVerdict } from '../../src/model/errors/error-verdict.js';
import type { Failure } from '../../src/model/failure.js';
import { classify } from '../../src/run/errors/error-class.js';
import { cpuSeconds } from '../support/cpu-seconds.js';
import { outputs } from './error-outputs.js';

const now = Date.parse('2026-11-17T02:00:00Z');
const exit = (exitCode: number): Failure => ({ code: 'command-failed', exitCode });
const killed = (signal: string): Failure => ({ code: 'command-killed', signal });
const lines = (text: string): string[] => text.split('\n');

function verdict(failure: Failure, stderr = '', stdout = ''): ErrorVerdict {
  return classify(failure, { stderr: lines(stderr), stdout: lines(stdout) }, { nowMs: now });
}
const classOf = (failure: Failure, stderr = '', stdout = ''): string => verdict(failure, stderr, stdout).errorClass;

describe('what programs say', () => {
  test.each(outputs)('$name: $class', ({ stderr, stdout, exitCode, signal, class: expected, waitsMs }) => {
    const found = verdict(signal === undefined ? exit(exitCode ?? 1) : killed(signal), stderr, stdout);
    expect(found.errorClass).toMatch(expected === 'error' ? /^error:[0-9a-f]{12}$/ : new RegExp(`^${expected}$`));
    expect(found.resetAt).toBe(waitsMs === undefined ? undefined : now + waitsMs);
    expect(found.final).toBe(false);
  });

  test('the table is large enough to mean something', () => {
    expect(outputs.length).toBeGreaterThan(60);
  });
});

describe('how it ended says it all', () => {
  test.each<[Failure, string]>([
    [{ code: 'timed-out', afterMs: 1000 }, 'timeout'],
    [{ code: 'idle-timed-out', afterMs: 1000 }, 'timeout'],
    [{ code: 'command-not-found', command: 'trian' }, 'not-found'],
    [{ code: 'input-missing', inputs: ['a'] }, 'not-found'],
    [{ code: 'output-missing', outputs: ['a'] }, 'output'],
    [{ code: 'output-empty', outputs: ['a'] }, 'output'],
    [{ code: 'output-not-written', outputs: ['a'] }, 'output'],
    [{ code: 'output-invalid', output: 'a', detail: 'must be a number' }, 'output'],
    [{ code: 'disk-full', file: 'a' }, 'disk-full'],
  ])('%o', (failure, expected) => {
    expect(classOf(failure, 'Error: 429 Too Many Requests, try again in 20s')).toBe(expected);
    expect(verdict(failure, 'Error: 429 Too Many Requests, try again in 20s').resetAt).toBeUndefined();
  });

  test.each<Failure>([
    { code: 'cancelled', signal: 'SIGINT' },
    { code: 'budget-spent', spent: { ceiling: 'run', limit: 1, spent: 1, wanted: 1 } as never },
    { code: 'locked', holder: 'x', file: 'y' },
  ])('$code is final, whatever else was said', (failure) => {
    const options = { nowMs: now, own: { mine: 'reset' } };
    const found = classify(failure, { stdout: [], stderr: ['Error: connection reset'] }, options);
    expect(found).toMatchObject({ errorClass: failure.code, final: true });
  });

  test('nothing was said', () => {
    expect(verdict(exit(3))).toEqual({ errorClass: 'exit:3', final: false });
    expect(verdict(exit(75))).toEqual({ errorClass: 'transient', final: false });
    expect(verdict(exit(139))).toEqual({ errorClass: 'killed:SIGSEGV', final: false });
    expect(verdict(killed('SIGSEGV'))).toEqual({ errorClass: 'killed:SIGSEGV', final: false });
    expect(verdict(killed('SIGKILL'))).toEqual({ errorClass: 'killed:SIGKILL', final: false });
  });

  test('a behaviour says itself what went wrong', () => {
    const failed = (detail: string): Failure => ({ code: 'behaviour-failed', detail });
    expect(classOf(failed('the service answered 503 Service Unavailable'))).toBe('transient');
    expect(classOf(failed('no column "seed"'))).toMatch(/^error:/);
    expect(classOf({ code: 'not-writable', file: 'x', detail: "EACCES: permission denied, open 'x'" })).toBe(
      'permission',
    );
  });
});

describe('your own classes', () => {
  const own = { nan: 'loss is nan', 'a-port': '^.*address already in use$', zz: '.+' };
  const withOwn = (failure: Failure, stderr: string, stdout = ''): string =>
    classify(failure, { stderr: lines(stderr), stdout: lines(stdout) }, { nowMs: now, own }).errorClass;

  test('come before ours, in the order of their names, in both logs', () => {
    expect(withOwn(exit(1), 'loss is nan\nConnection refused\nbind: address already in use\nbye')).toBe('a-port');
    expect(withOwn(exit(1), 'Connection refused', 'loss is nan\n')).toBe('nan');
    expect(withOwn({ code: 'timed-out', afterMs: 1 }, 'loss is nan')).toBe('nan');
    expect(withOwn(exit(1), 'Connection refused')).toBe('zz');
    expect(withOwn(exit(7), '')).toBe('exit:7');
  });

  test('see the text without its colours', () => {
    expect(withOwn(exit(1), '\u001b[31mloss is \u001b[1mnan\u001b[0m')).toBe('nan');
  });

  test('one that would take years fits nothing, soon; one that is none fits nothing either', async () => {
    const said = { stdout: [], stderr: [`${'a'.repeat(1500)}!`] };
    const own = { bad: '(a+)+$', none: '(', worse: '(a|a)*$' };
    const took = await cpuSeconds(() => {
      expect(classify(exit(1), said, { nowMs: now, own }).errorClass).toMatch(/^error:/);
    });
    expect(took).toBeLessThan(5);
  });
});

describe('the quota of an agent', () => {
  const failure = { code: 'agent-failed', agent: 'coder', why: 'quota', detail: 'x' } as const;
  const said = { stdout: [], stderr: [] };

  test('is waited for until the time that it names, else for a while', () => {
    expect(classify({ ...failure, resetAt: 9000 }, said, { nowMs: 1000 })).toMatchObject({
      errorClass: 'quota',
      resetAt: 9000,
    });
    expect(classify(failure, said, { nowMs: 1000 })).toMatchObject({ errorClass: 'quota', resetAt: 301_000 });
    expect(classify({ ...failure, why: 'overloaded' }, said, { nowMs: 1000 })).not.toHaveProperty('resetAt');
  });
});

describe('a quota that was only read about is none', () => {
  const message = 'Error: 429 Too Many Requests. Please try again in 20s.';
  const real = 'AssertionError: accuracy 0.31 is below 0.5';

  test('the message itself is one', () => {
    expect(verdict(exit(1), message)).toMatchObject({ errorClass: 'quota', resetAt: now + 20_000 });
  });

  test.each([
    ['in the output', '', message],
    ['in the output of a program that complained', real, message],
    ['before another error', `${message}\n${real}`, ''],
    ['before a traceback', `${message}\nTraceback (most recent call last):\n  File "x.py", line 1\n${real}`, ''],
    ['far above the end', `${message}\n${'step\n'.repeat(6)}bye`, ''],
    ['as a quotation', `reading notes.md\n> ${message}`, ''],
    ['as a hit of a search', `notes.md:12:${message}`, ''],
    ['with a line number', `   12  ${message}`, ''],
    ['with another line number', `12: ${message}`, ''],
    ['in a difference', `@@ -1 +1 @@\n-ok\n+${message}`, ''],
    ['in a comment', `# ${message}`, ''],
    ['in code', `raise RateLimitError("429 Too Many Requests")`, ''],
    ['in code that asks', `if status == 429: wait()  # rate limit`, ''],
    ['in a manual', 'If the service says "rate limit exceeded", try again in 20s.', ''],
    ['in a log that goes on', `2026-11-17 01:59:58 WARNING rate limit reached, try again in 20s`, ''],
    ['in a log of another kind', `INFO:client:HTTP 429 Too Many Requests, try again in 20s`, ''],
    ['in a log as JSON', `{"level":"info","msg":"status 429, try again in 20s"}`, ''],
    ['as something that was dealt with', `rate limited, retrying in 20 seconds`, ''],
    ['as a number', `Error: step 429 failed`, ''],
  ])('%s', (_where, stderr, stdout) => {
    const found = verdict(exit(1), stderr, stdout);
    expect(found.errorClass).not.toBe('quota');
    expect(found.resetAt).toBeUndefined();
  });
});

describe('the journal', () => {
  test('gets no keys', () => {
    const found = verdict(exit(1), 'Error: the key sk-proj-abcdefghijklmnop1234 is not valid');
    expect(found.signature).toBe('Error: the key [redacted] is not valid');
  });
});
