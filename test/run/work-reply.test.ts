import { describe, expect, it } from 'vitest';
import { workReply } from '../../src/run/agents/work-reply.js';

const replying = (files: unknown) => workReply({ outcome: 'done', summary: 'ok', files } as never);

describe('what an agent says that it changed', () => {
  it.each(['7', '10-42', '1-1', '1-2, 5', '3,5-9'])('lines %s', (lines) => {
    expect(replying([{ path: 'a.py', lines, change: 'new' }])).toMatchObject({ files: [{ path: 'a.py', lines }] });
  });

  it.each([
    [{ lines: '1' }, /^"files" must hold paths/],
    [{ path: '' }, /^"files" must hold paths/],
    [{ path: 'a.py', lines: 'all' }, /^"files" must hold paths/],
    [{ path: 'a.py', lines: '0-3' }, /^"files" must hold paths/],
    [{ path: 'a.py', lines: [1, 2] }, /^"files" must hold paths/],
    [{ path: 'a.py', lines: '1-2-3' }, /^"files" must hold paths/],
    [{ path: 'a.py', lines: '5-2' }, /^"lines" of a\.py must go from the first to the last, not 5-2$/],
    [{ path: 'a.py', lines: '1-2,30-4' }, /^"lines" of a\.py must go from the first to the last, not 30-4$/],
    [{ path: 'a.py', line: '1' }, /^"files" must hold paths/],
  ])('%j is no change', (file, words) => expect(replying([file])).toMatch(words));
});
