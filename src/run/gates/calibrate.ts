import type { JudgeCalibrated } from '../../model/events/gate-event.js';
import type { Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { howItAnswers } from '../agents/who-answers.js';
import type { Ended } from './gate-ports.js';
import { digestOf, type Judge } from './judge.js';
import { evidenceOf } from './shown.js';

export interface CalibrateTools {
  readonly files: Files;
  /** What this judge got wrong before, in this run. */
  known(key: string): readonly string[] | undefined;
  record(event: JudgeCalibrated): void;
}

/** Whether a judge may judge: before it does so in a run, it has to sort samples of which everybody knows. */
export async function calibrated(
  task: Task,
  judge: Judge,
  { files, known, record }: CalibrateTools,
): Promise<{ readonly wrong: readonly string[] } | Ended> {
  const { calibrate, agent } = judge.gate;
  if (!calibrate) return { wrong: [] };
  const samples = [
    ...calibrate.good.map((path) => ({ path, isGood: true })),
    ...calibrate.bad.map((path) => ({ path, isGood: false })),
  ].map((sample) => ({ ...sample, evidence: evidenceOf([sample.path], files) }));
  const missing = samples.filter(({ evidence }) => evidence.length === 0).map(({ path }) => `${path} (not there)`);
  const { backend, model, family } = task.judge ?? {};
  const key = digestOf(
    [
      agent,
      backend ?? '',
      model ?? '',
      family ?? '',
      judge.rubric,
      samples.map(({ isGood, evidence }) => [isGood, evidence]),
      howItAnswers(task.judge ?? {}),
    ].map(plain),
  );
  const before = known(key);
  if (before) return { wrong: before };
  if (missing.length > 0) return { wrong: missing };
  const wrong: string[] = [];
  let isSilent = false;
  for (const { path, isGood, evidence } of samples) {
    // A name such as bad/1.txt would tell.
    const shown = evidence.map((file, index) => ({
      path: file.path,
      name: `evidence-${index + 1}${ending(file.path)}`,
    }));
    const vote = await judge.vote(shown, []);
    if ('end' in vote) return vote;
    if (vote.verdict === 'failed') {
      isSilent = true;
      wrong.push(`${path} (no verdict: ${vote.reasons[0]})`);
    } else if ((vote.verdict === 'pass') !== isGood)
      wrong.push(`${path} (${vote.verdict === 'pass' ? 'passed' : `not passed: ${vote.reasons[0]}`})`);
  }
  // Who did not answer may do so the next time; who answered wrongly is not asked until it answers right.
  if (!isSilent) record({ type: 'judge-calibrated', task: task.id, agent, key, samples: samples.length, wrong });
  return { wrong };
}

const ending = (path: string): string => /\.[A-Za-z0-9]+$/.exec(path)?.[0] ?? '';

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
