import { describe, expect, test } from 'vitest';
import type { GateQuestion } from '../../src/model/gates/gate.js';
import { questionText } from '../../src/report/gates/gate-question.js';
import { paint } from '../../src/report/words/paint.js';
import { symbols } from '../../src/report/words/symbols.js';

const question: GateQuestion = {
  task: 'train',
  attempt: 2,
  kind: 'human',
  question: 'q1',
  shown: 's',
  product: '',
  evidence: [],
  gate: 'g',
  covers: 's',
  planDigest: 'p',
  patterns: [],
  because: 'exited with code 3',
};

const text = (kind: GateQuestion['kind']): string =>
  questionText({ question: { ...question, kind }, now: 0, p: paint(false), s: symbols(false) });

describe('the question at the terminal', () => {
  test('whoever is asked for words has nothing to approve or to reject', () => {
    expect(
      text('instructions')
        .split('\n')
        .slice(0, 2)
        .map((line) => line.replace(/^\S+ /, '')),
    ).toEqual(['train waits for your instructions: exited with code 3', '  r give instructions   l later']);
  });

  test('what was checked is counted, and what did not pass is told, failures first', () => {
    const asked = { question: { ...question, evidence: [{ path: 'out.txt', digest: 'd' }] }, now: 0 };
    const style = { p: paint(false), s: symbols(false) };
    const tests = [
      { name: 'loads', status: 'passed' },
      { name: 'gpu', status: 'skipped', detail: 'none here' },
      { name: 'loss falls', status: 'failed', detail: '0.9,\u001b[2J then\n0.95' },
    ] as const;
    const lines = questionText({ ...asked, ...style, tests })
      .split('\n')
      .slice(1);
    expect(lines).toEqual([
      '  out.txt',
      '  1 of 3 tests passed, 1 skipped',
      '    failed loss falls: 0.9, then0.95',
      '    skipped gpu: none here',
      '  a approve   r revise   x reject   l later',
      '',
    ]);
    const many = Array.from({ length: 20 }, (_, at) => ({ name: `t${at}`, status: 'failed', detail: 'no' }) as const);
    expect(questionText({ ...asked, ...style, tests: many })).toContain(
      '    failed t11: no\n    and 8 more that did not pass\n',
    );
    expect(questionText({ ...asked, ...style, tests: [] })).not.toContain('tests');
  });

  test('a gate is decided', () => {
    expect(text('human')).toContain('train waits at its gate: exited with code 3\n');
    expect(text('human')).toContain('  a approve   r revise   x reject   l later\n');
  });
});
