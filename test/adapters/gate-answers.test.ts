import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { leaveAnswer, readAnswers, takeAnswerBack } from '../../src/adapters/journal/gate-answers.js';
import { ownUserName, userNameOf } from '../../src/adapters/person/user-name.js';

const made: string[] = [];
afterAll(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'answers-'));
  made.push(dir);
  return dir;
};

const answer = { run: '1-abcd', task: 'build', question: 'q', shown: 's', verdict: 'pass' } as const;

test('an answer is there whole, is whose file it is, and is taken back once', () => {
  const dir = folder();
  expect(readAnswers(dir)).toEqual([]);
  const id = leaveAnswer(dir, { ...answer, text: 'fine' });
  expect(readAnswers(dir)).toEqual([{ ...answer, id, by: userInfo().username, text: 'fine' }]);
  expect([takeAnswerBack(dir, id), takeAnswerBack(dir, id)]).toEqual([true, false]);
});

test('who it says that it is from does not count', () => {
  const dir = folder();
  mkdirSync(join(dir, 'answers'));
  writeFileSync(join(dir, 'answers', `${'0'.repeat(16)}.json`), JSON.stringify({ ...answer, by: 'ada', uid: 0 }));
  expect(readAnswers(dir)).toMatchObject([{ by: userInfo().username }]);
});

test.skipIf(process.getuid?.() !== 0)('the file of another user is an answer of that user', () => {
  const dir = folder();
  const id = leaveAnswer(dir, answer);
  const nobody = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));
  chownSync(join(dir, 'answers', `${id}.json`), nobody, nobody);
  expect(readAnswers(dir)).toMatchObject([{ by: 'nobody' }]);
});

test('what is no answer, or no file, is passed over and not waited for', () => {
  const dir = folder();
  leaveAnswer(dir, answer);
  const name = (digit: string): string => join(dir, 'answers', `${digit.repeat(16)}.json`);
  writeFileSync(name('1'), '{"verdict":"pass"');
  writeFileSync(name('2'), JSON.stringify({ ...answer, verdict: 'approve' }));
  writeFileSync(name('3'), JSON.stringify({ ...answer, task: 3 }));
  writeFileSync(name('4'), JSON.stringify({ ...answer, text: ['x'] }));
  writeFileSync(name('5'), `"${'x'.repeat(200_000)}"`);
  writeFileSync(join(dir, 'answers', 'note.json'), JSON.stringify(answer));
  execFileSync('mkfifo', [name('6')]);
  symlinkSync(join(dir, 'answers', readdirSync(join(dir, 'answers'))[0]!), name('7'));
  expect(readAnswers(dir)).toHaveLength(1);
});

test('names come from the system, whatever variables say', () => {
  const before = { ...process.env };
  Object.assign(process.env, { USER: 'ada', LOGNAME: 'ada' });
  try {
    expect(ownUserName()).toBe(execFileSync('id', ['-un'], { encoding: 'utf8' }).trim());
    expect(userNameOf(4_000_000)).toBe('uid 4000000');
  } finally {
    process.env = before;
  }
});
