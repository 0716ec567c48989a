import { describe, expect, test } from 'vitest';
import type { JobState } from '../../../src/model/state/job-state.js';
import type { RunState } from '../../../src/model/state/run-state.js';
import { behind, chainDigest, isWanted } from '../../../src/run/jobs/job-chain.js';
import type { JobErrand } from '../../../src/run/jobs/job-errand.js';
import { planOf } from '../../support/run-rig.js';

const [task] = planOf([{ id: 'evaluate' }]).tasks;
const errand = {
  ...{ task, attempt: 1, job: 0, run: 'score', cwd: '/x', env: { A: '1' }, passed: {}, cluster: 'hpc', resources: {} },
  ...{ inputs: { 'model.txt': 'm', 'eval.txt': 'e' }, before: {} },
} as unknown as JobErrand;

const job = (tag: string, more: Partial<JobState> = {}): JobState => ({
  ...{ tag, task: tag, attempt: 1, job: 0, cluster: 'hpc', order: 'o', gpus: 0, before: {}, submittingAt: 0 },
  ...more,
});
const completed = { how: 'completed', requeues: 0, runMs: 0, gpuHours: 0 } as const;
const parent = job('train', { end: completed });
const ahead = job('evaluate', { after: ['train'], order: chainDigest(errand), inputs: { 'eval.txt': 'e' } });

const state = (jobs: readonly JobState[]): RunState =>
  ({
    jobs: new Map(jobs.map((each) => [each.tag, each])),
    tasks: new Map([['train', { outputs: [{ path: 'model.txt' }] }]]),
  }) as unknown as RunState;

describe('a job that was handed over ahead', () => {
  test('is the one that is wanted, whatever those before it have made', () => {
    expect(isWanted(ahead, errand, state([parent, ahead]))).toBe(true);
    expect(isWanted(ahead, { ...errand, inputs: { ...errand.inputs, 'model.txt': 'n' } }, state([parent, ahead]))).toBe(
      true,
    );
  });

  test.each<[string, Partial<JobErrand>]>([
    ['another command', { run: 'other' }],
    ['another variable', { env: { A: '2' } }],
    ['a later job of the attempt', { job: 1 }],
    ['a changed input', { inputs: { ...errand.inputs, 'eval.txt': 'f' } }],
    ['an input that is gone', { inputs: { 'model.txt': 'm' } }],
    ['an input that nobody before it has made', { inputs: { ...errand.inputs, 'new.txt': 'n' } }],
  ])('is not, for %s', (_name, other) => {
    expect(isWanted(ahead, { ...errand, ...other }, state([parent, ahead]))).toBe(false);
  });

  test('is not when what it waited for did not end well, or was done again since', () => {
    expect(isWanted(ahead, errand, state([{ ...parent, end: { ...completed, how: 'failed' } }, ahead]))).toBe(false);
    const again = { ...parent, tag: 'train-2', end: completed };
    expect(isWanted(ahead, errand, state([parent, ahead, again]))).toBe(false);
    const { after: _, ...alone } = ahead;
    expect(isWanted(alone, errand, state([parent, alone]))).toBe(false);
  });
});

test('what is behind a job, and behind that', () => {
  const jobs = [parent, ahead, job('plot', { after: ['evaluate'] }), job('else', { after: ['other'] })];
  expect(behind(['train'], state(jobs).jobs).map(({ tag }) => tag)).toEqual(['evaluate', 'plot']);
});
