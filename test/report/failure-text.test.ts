import { expect, test } from 'vitest';
import type { Failure, FailureCode } from '../../src/model/failure.js';
import { failureText, failureWords } from '../../src/report/failure-text.js';
import { golden } from './golden.js';

/** Total, like the words: a new failure does not compile until there is an example of it here. */
const examples: { readonly [C in FailureCode]: readonly Extract<Failure, { code: C }>[] } = {
  'command-failed': [{ code: 'command-failed', exitCode: 2 }],
  'command-killed': [
    { code: 'command-killed', signal: 'SIGKILL' },
    { code: 'command-killed', signal: 'SIGSEGV' },
  ],
  'command-not-found': [{ code: 'command-not-found', command: 'pyhton' }],
  'command-not-started': [{ code: 'command-not-started', detail: 'EACCES' }],
  'timed-out': [{ code: 'timed-out', afterMs: 300_000 }],
  'idle-timed-out': [{ code: 'idle-timed-out', afterMs: 45_000 }],
  'output-missing': [
    { code: 'output-missing', outputs: ['a.json'] },
    { code: 'output-missing', outputs: ['a.json', 'b.json', 'c.json', 'd.json'] },
  ],
  'output-empty': [{ code: 'output-empty', outputs: ['a.json', 'b.json'] }],
  'output-not-written': [{ code: 'output-not-written', outputs: ['a.json'] }],
  'output-invalid': [{ code: 'output-invalid', output: 'a.json', detail: '/loss must be number' }],
  'input-missing': [{ code: 'input-missing', inputs: ['data.csv'] }],
  'behaviour-failed': [{ code: 'behaviour-failed', detail: 'the template does not exist' }],
  'behaviour-crashed': [{ code: 'behaviour-crashed', detail: 'TypeError: x is undefined\n    at run (mine.ts:3:1)' }],
  cancelled: [{ code: 'cancelled', signal: 'SIGINT' }],
  'disk-full': [{ code: 'disk-full', file: '/lab/.autoresearch/default/runs/1-aaaa/journal.jsonl' }],
  'not-writable': [{ code: 'not-writable', file: '/lab/.autoresearch', detail: 'EROFS' }],
  'journal-corrupt': [{ code: 'journal-corrupt', file: 'journal.jsonl', line: 12, detail: 'the hash does not match' }],
  'run-not-found': [
    { code: 'run-not-found', run: '17' },
    { code: 'run-not-found', run: '' },
  ],
  'plan-mismatch': [
    { code: 'plan-mismatch', expected: 'a'.repeat(64), actual: 'b'.repeat(64), changes: ['train has another options'] },
    { code: 'plan-mismatch', expected: '/lab/plan.json', actual: '', changes: ['the file is not a saved plan'] },
  ],
  locked: [{ code: 'locked', holder: 'run 4-k3xw, process 4711 on lab', file: '/lab/my state/lock' }],
};

const all: readonly Failure[] = Object.values(examples).flat();

test('every failure has words', async () => {
  await golden('failures.txt', all.map((failure) => `${failure.code}\n${failureText(failure)}\n`).join('\n'));
});

test('what happened is one line, and neither part ends in a full stop', () => {
  for (const failure of all) {
    const { what, next } = failureWords(failure);
    expect(what).toMatch(/^[^\n]+[^.\n]$/);
    expect(next).toMatch(/^[A-Z][^\n]+[^.\n]$/);
  }
});
