import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { commandLines } from '../../../src/adapters/command/command-lines.js';
import { quoteWord } from '../../../src/adapters/command/quote-word.js';
import { lineLength } from '../../../src/adapters/command/warden-script.js';
import { WardenSlot } from '../../../src/adapters/command/warden-slot.js';

/** The shell's end of the socket, played by the test. */
class FakeSocket extends EventEmitter {
  written: string[] = [];
  destroyed = false;
  setEncoding(): void {}
  ref(): void {}
  unref(): void {}
  write(text: string): void {
    this.written.push(text.trimEnd());
  }
  destroy(): void {
    this.destroyed = true;
  }
}

const open = () => {
  const socket = new FakeSocket();
  const slot = new WardenSlot(socket as unknown as Socket, 'token');
  const heard: unknown[] = [];
  const run = (): void =>
    slot.run('code', { started: (pid) => heard.push(pid), ended: ({ kind, ...more }) => heard.push([kind, more]) });
  const say = (...lines: string[]): void => void socket.emit('data', lines.map((line) => `${line}\n`).join(''));
  return { socket, slot, heard, run, say };
};

it('tells the process id at once when a child waits, else when it is there', () => {
  const early = open();
  early.say('token s 12');
  early.run();
  expect(early.heard).toEqual([12]);
  const late = open();
  late.run();
  expect(late.heard).toEqual([]);
  late.say('token s 13');
  expect(late.heard).toEqual([13]);
});

it('knows of a refusal, also when the child is quicker than the slot', () => {
  const { heard, run, say } = open();
  run();
  say('token x', 'token s 12', 'token e 1', 'token s 13');
  run();
  say('token x', 'token e 1', 'token s 14');
  run();
  say('token e 1');
  expect(heard).toEqual([12, ['refused', {}], 13, ['refused', {}], 14, ['status', { status: 1, bySignal: false }]]);
});

it('ends a command at once when no signal can have come', () => {
  const { socket, slot, heard, run, say } = open();
  say('token s 12');
  run();
  say('token e 128');
  expect(heard).toEqual([12, ['status', { status: 128, bySignal: false }]]);
  expect([slot.idle, socket.written]).toEqual([true, ['code']]);
});

it('ends a command that a signal may have ended only when the slot goes on', () => {
  const { socket, slot, heard, run, say } = open();
  say('token s 12');
  run();
  say('[1]+  Killed  ( _ar_go "$1" ) 0<&0', 'token e 137');
  expect([heard, slot.idle, socket.written]).toEqual([[12], false, ['code', 'token']]);
  say('token s 14');
  expect(heard).toEqual([12, ['status', { status: 137, bySignal: true }]]);
  run();
  expect(heard.at(-1)).toBe(14);
  say('token e 129', 'token u');
  expect([heard.at(-1), slot.idle, socket.destroyed]).toEqual([['untaken', {}], false, true]);
});

it('lets a child that ended without a command be replaced, also when a command comes meanwhile', () => {
  const { socket, heard, run, say } = open();
  say('token s 12', 'token e 137');
  expect(socket.written).toEqual(['token']);
  run();
  say('token s 13', 'token e 0');
  expect(heard).toEqual([13, ['status', { status: 0, bySignal: false }]]);
});

it.each([
  ['a second child', ['token s 12', 'token s 13']],
  ['an end without a child', ['token e 0']],
  ['an end without a command', ['token s 12', 'token e 0']],
  ['a refusal without a command', ['token s 12', 'token x']],
  ['a child that cannot be', ['token s 1']],
  ['no number', ['token s 0x12']],
  ['a command that was not taken, when none ended', ['token s 12', 'token u']],
  ['two processes of its own', ['token p 12', 'token p 13']],
  ['an unknown word', ['token z']],
])('does not believe a slot that reports %s', (_, lines) => {
  const { socket, slot, say } = open();
  say(...lines);
  expect([slot.idle, socket.destroyed]).toEqual([false, true]);
});

it('is not free any more when its process is gone, or when it has a command', () => {
  const { slot, socket, say } = open();
  expect(slot.isFree()).toBe(true);
  const { pid } = spawnSync('true');
  say(`token p ${pid}`);
  expect([slot.isFree(), slot.idle, socket.destroyed]).toEqual([false, false, true]);
  const other = open();
  other.say(`token p ${process.pid}`);
  expect(other.slot.isFree()).toBe(true);
  other.run();
  expect(other.slot.isFree()).toBe(false);
});

it('does not listen to lines without the token', () => {
  const { socket, heard, run, say } = open();
  run();
  say('s 12', 'tokens s 12', 'Token e 0', '', 'e 0', ' token e 0');
  expect([heard, socket.destroyed]).toEqual([[], false]);
});

it('sends commands of any length in lines of the length that bash is told', () => {
  for (const length of [1, lineLength - 2, lineLength - 1, lineLength, lineLength + 1, 100_000]) {
    const code = ':'.repeat(length);
    const sent = commandLines(code);
    const first = sent.slice(0, lineLength);
    expect(first.indexOf('\n')).toBe(lineLength - 1);
    const more = Number(/^_ar_read (\d+)\|\|exit 255;eval "\$_ar_line" *\n$/.exec(first)?.[1] ?? 0);
    expect(sent.length).toBe(lineLength + more);
    expect(more === 0 ? first.trimEnd() : sent.slice(lineLength)).toBe(more === 0 ? code : `${code}\n`);
  }
});

it('quotes any text as printable ASCII, so that characters are bytes', () => {
  for (const text of ['é', '中\n', '\u0080\ud83e\udd8a', '\x7f', "it's é", '\\é']) {
    expect(quoteWord(text)).toMatch(/^\$'[ -~]+'$/);
  }
  expect(quoteWord("é'\\\n")).toBe("$'\\303\\251\\047\\134\\012'");
});
