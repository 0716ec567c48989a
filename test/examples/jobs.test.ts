import { cpSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';

const example = resolve(import.meta.dirname, '../../examples/jobs');

it('the example of jobs smoke-tests, runs out of memory, mends itself and passes', async () => {
  const project = new Project();
  for (const file of ['autoresearch.config.yaml', 'train.sh']) cpSync(`${example}/${file}`, `${project.dir}/${file}`);
  const { code, stdout } = await ended(project.start(['exec', '--reporter', 'plain']));
  expect(code, stdout).toBe(0);
  const made = project
    .read('results/all.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(made).toEqual([1, 2, 3].map((seed) => ({ seed, steps: 40, batch: 8 })));
  // A smoke test and a large one for each seed, and at least one that ran out of memory. Whoever is not there yet when that
  // happens begins with the smaller batch, so how many there are is a matter of moments; that it happens once is not.
  const journal = project.journal();
  expect(journal.filter(({ type }) => type === 'parameters-changed')).toMatchObject([{ set: { BATCH: '8' } }]);
  const submitted = journal.filter(({ type }) => type === 'job-submitting');
  expect(submitted.length).toBeGreaterThanOrEqual(7);
  for (const seed of [1, 2, 3])
    expect(submitted.findLast(({ task }) => task === `train:seed=${seed}`)).toMatchObject({ set: { BATCH: '8' } });
});
