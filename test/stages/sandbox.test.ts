import { expect, test } from 'vitest';
import { plainFacts, recordingContext } from './recording-context.js';
import { evaluateInSandbox } from './sandbox.js';

const behaviour = (body: string) =>
  evaluateInSandbox(
    `const { defineStage } = require('autoresearch');
     exports.default = defineStage({ describe() { ${body} }, async run() { ${body} } });`,
    'mine.ts',
  );

test.each([
  ['process', 'return process.env.HOME', 'process is not defined'],
  ['the network', 'return fetch("http://127.0.0.1")', 'fetch is not defined'],
  ['a timer', 'setTimeout(() => {}, 1)', 'setTimeout is not defined'],
  ['printing', 'console.log("hello")', 'console is not defined'],
  ['chance', 'return Math.random()', 'a behaviour uses Math.random'],
  ['the clock', 'return Date.now()', 'a behaviour uses the clock'],
  ['the clock again', 'return new Date()', 'a behaviour uses the clock'],
  ['made code', 'return new Function("return 1")()', 'Code generation from strings disallowed'],
])('a behaviour cannot use %s', async (_, body, message) => {
  expect(() => behaviour(body).describe({}, plainFacts)).toThrow(message);
  await expect(behaviour(body).run({}, recordingContext())).rejects.toThrow(message);
});

test('a behaviour cannot import anything but the public door', () => {
  expect(() => evaluateInSandbox(`require('node:fs')`, 'mine.ts')).toThrow(
    'mine.ts imports "node:fs", but a behaviour imports only "autoresearch"',
  );
});

test('a behaviour is the default export', () => {
  expect(() => evaluateInSandbox('exports.mine = {}', 'mine.ts')).toThrow('mine.ts has no default export');
});
