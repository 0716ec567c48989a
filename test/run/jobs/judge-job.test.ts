import { describe, expect, it } from 'vitest';
import type { ExitFile, JobStanding } from '../../../src/model/scheduler.js';
import { judge } from '../../../src/run/jobs/judge-job.js';

const none: ExitFile = { kind: 'none' };
const exited = (exitCode: number): ExitFile => ({ kind: 'exited', exitCode, id: '7' });
const unreadable: ExitFile = { kind: 'unreadable', detail: 'the exit file says "?"' };
const ended = (how: Extract<JobStanding, { kind: 'ended' }>['how'], word = 'WORD'): JobStanding => ({
  kind: 'ended',
  how,
  word,
});
const completed = { kind: 'ended', how: 'completed' };

describe('two witnesses', () => {
  it('a success needs both', () => {
    expect(judge(ended('completed'), exited(0), true)).toMatchObject(completed);
    expect(judge(ended('completed'), none, true)).toMatchObject({ kind: 'unknown', endsSoon: true });
    expect(judge(ended('completed'), unreadable, true)).toMatchObject({ kind: 'unknown' });
    expect(judge(ended('completed'), exited(1), true)).toMatchObject({ kind: 'ended', how: 'failed', exitCode: 1 });
    expect(judge(ended('completed'), none, false)).toMatchObject(completed);
  });

  it.each(['failed', 'cancelled', 'timed-out', 'deadline', 'out-of-memory', 'node-failed', 'not-started'] as const)(
    '%s is never a success, whatever the exit file says',
    (how) => {
      for (const exit of [none, exited(0), exited(3), unreadable])
        for (const shared of [true, false])
          expect(judge(ended(how), exit, shared)).toMatchObject({ kind: 'ended', how });
    },
  );

  it('the end is not there while the job goes on, whatever an earlier go of it left', () => {
    for (const kind of ['waiting', 'running'] as const)
      expect(judge({ kind, word: 'X' }, exited(0), true)).toEqual({ kind: 'goes-on' });
    expect(judge({ kind: 'waiting', word: 'PREEMPTED', limbo: true }, exited(0), true)).toMatchObject({
      kind: 'unknown',
    });
  });

  it('what is not known stays unknown', () => {
    for (const exit of [none, exited(0), unreadable])
      expect(judge({ kind: 'unreachable', detail: 'down' }, exit, true)).toEqual({ kind: 'unknown', detail: 'down' });
    expect(judge({ kind: 'no-record', detail: 'gone' }, none, true)).toEqual({
      kind: 'unknown',
      detail: 'gone, and it left no exit file',
    });
    expect(judge({ kind: 'no-record', detail: 'gone' }, unreadable, true)).toMatchObject({ kind: 'unknown' });
  });

  it('of a job whose record was purged its own last word is believed', () => {
    expect(judge({ kind: 'no-record', detail: 'gone' }, exited(0), true)).toMatchObject({
      ...completed,
      word: 'PURGED',
    });
    expect(judge({ kind: 'no-record', detail: 'gone' }, exited(9), true)).toMatchObject({ how: 'failed', exitCode: 9 });
  });
});
