import { describe, expect, it } from 'vitest';
import { apply } from '../../src/journal/apply.js';
import { firstPrev, seal } from '../../src/journal/chain.js';
import type { JournalEntry, RecordedEvent, TaskSkipped } from '../../src/model/events/event.js';
import { RunBook } from '../../src/run/run-book.js';
import { runStarted } from '../support/events.js';
import { planOf } from '../support/run-rig.js';

const spared = (task: string): TaskSkipped => ({ type: 'task-skipped', task, cause: 'cached', reasons: [] });
const started = (task: string): RecordedEvent => ({ type: 'task-started', task, attempt: 1, reasons: [] });

/** A book whose journal notes what came in one go. */
function open(isBroken = () => false) {
  const writes: string[][] = [];
  const told: string[] = [];
  const heard: number[] = [];
  let prev = firstPrev;
  let seq = 0;
  const append = (events: readonly RecordedEvent[]): JournalEntry[] => {
    if (isBroken()) throw new Error('the disk is full');
    const entries = events.map((event) => {
      const { entry } = seal(event, { seq: seq++, at: '2030-01-01T00:00:00.000Z', prev });
      prev = entry.hash;
      return entry;
    });
    writes.push(entries.map((entry) => ('task' in entry ? `${entry.task}` : entry.type)));
    return entries;
  };
  const state = apply(undefined, append([runStarted(3)])[0]!);
  const journal = { append, flushed: async () => {}, flushNow: () => {}, onFailure: () => {}, close: async () => {} };
  const reporter = {
    recorded: (entry: JournalEntry) => void told.push('task' in entry ? `${entry.task}` : entry.type),
  };
  const book = new RunBook({
    state,
    journal,
    reporter: reporter as never,
    heard: (entries) => void heard.push(entries.length),
  });
  writes.length = 0;
  return { book, writes, told, heard };
}

const [a, b] = planOf([{ id: 'a' }, { id: 'b' }]).tasks as [never, never];

describe('the book of a run', () => {
  it('writes results that hold together, and before whatever comes next', () => {
    const { book, writes, told, heard } = open();
    book.spare(a, spared('a'));
    book.spare(b, spared('b'));
    expect([writes, told, book.state.tasks.size]).toEqual([[], [], 0]);
    book.record([started('c')]);
    expect([writes, told, heard]).toEqual([[['a', 'b', 'c']], ['a', 'b', 'c'], [3]]);
    expect([...book.state.tasks.values()].map(({ status }) => status)).toEqual(['cached', 'cached', 'running']);
  });

  it('keeps nothing back that is asked for, nor more than can be overlooked', () => {
    const { book, writes } = open();
    book.tellSpared();
    expect(writes).toEqual([]);
    book.spare(a, spared('a'));
    book.tellSpared();
    book.tellSpared();
    expect(writes).toEqual([['a']]);
    const many = planOf(Array.from({ length: 450 }, (_, index) => ({ id: `t${index}` }))).tasks;
    for (const task of many) book.spare(task, spared(task.id));
    expect(writes.map((one) => one.length)).toEqual([1, 200, 200]);
  });

  it('tells nobody of what could not be written', () => {
    let isFull = false;
    const { book, told, heard } = open(() => isFull);
    book.spare(a, spared('a'));
    isFull = true;
    expect(() => book.record([started('c')])).toThrow('the disk is full');
    expect([told, heard, book.state.tasks.size]).toEqual([[], [], 0]);
  });
});
