import { expect, test } from 'vitest';
import { summaryProblems } from '../../src/tasks/summary-problems.js';
import { lines } from './task-text.js';

const task = { id: '03-01', files: ['rewards/shape.py', 'tests/**'] };
const problems = async (text: string | undefined, files = task.files) =>
  lines(await summaryProblems(text, { ...task, files }));

test('a summary that says what was done', async () => {
  const text =
    '---\nstatus: complete\n---\n# Done\n\n- `rewards/shape.py`: the function\n- Also **tests/test_shape.py**.\n';
  expect(await problems(text)).toEqual([]);
  expect(await problems('Changed shape.py only', [])).toEqual([]);
});

test.each([
  [undefined, ['1:1+0 error: there is no 03-01-SUMMARY.md (Write what was done for "03-01" into it)']],
  ['', ['1:1+0 error: 03-01-SUMMARY.md says nothing (Say what was done and which files were changed)']],
  [' \n\t\n', ['1:1+0 error: 03-01-SUMMARY.md says nothing (Say what was done and which files were changed)']],
  [
    '---\nphase: 3\n---\n\n# Summary\n## Files\n',
    ['1:1+0 error: 03-01-SUMMARY.md says nothing (Say what was done and which files were changed)'],
  ],
  [
    'All done. Version 1.2, etc.',
    ['1:1+0 error: 03-01-SUMMARY.md names no file that was changed (List the files that were changed)'],
  ],
  [
    'Wrote other/file.py',
    ['1:1+0 error: 03-01-SUMMARY.md names none of the files of the task (List the files that were changed)'],
  ],
  ['Wrote rewards/shape.py', ['1:1+0 warning: 03-01-SUMMARY.md names no file of "tests/**"']],
  ['Wrote tests/a.py and rewards/shape.pyc', ['1:1+0 warning: 03-01-SUMMARY.md names "rewards/shape.py" nowhere']],
  [
    '---\nplan: 1\nstatus: partial\n---\nWrote tests/a.py, rewards/shape.py',
    ['3:1+15 error: 03-01-SUMMARY.md says that the task ended as "partial"'],
  ],
])('%j', async (text, expected) => {
  expect(await problems(text)).toEqual(expected);
});

test('a fragment has a name of its own', async () => {
  expect(lines(await summaryProblems(undefined, task, { file: '03-01-SUMMARY-b.md' }))).toEqual([
    '1:1+0 error: there is no 03-01-SUMMARY-b.md (Write what was done for "03-01" into it)',
  ]);
});
