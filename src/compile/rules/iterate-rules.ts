import { parseDuration } from '../../model/duration.js';
import type { Config, Iterate } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { didYouMean } from '../../source/did-you-mean.js';
import { hasTemplate } from '../../source/template/template-node.js';
import type { Problems } from '../problems.js';
import type { PathRules } from './path-rules.js';

interface Tools {
  readonly problems: Problems;
  readonly paths: PathRules;
}

/** What `iterate` says by itself, before anything is known of tasks. */
export function checkIterate(config: Config, { problems, paths }: Tools): void {
  const { iterate } = config;
  if (!iterate) return;
  checkPlain(iterate, problems);
  checkMetric(iterate, problems);
  checkStage(config, iterate, problems);
  for (const key of ['insights', 'dir'] as const)
    if (iterate[key] !== undefined) paths.inside(iterate[key], ['iterate', key]);
  if (iterate.goal !== undefined) paths.inside(iterate.goal, ['iterate', 'goal']);
  for (const [index, path] of (iterate.files ?? []).entries()) paths.inside(path, ['iterate', 'files', index]);
  if (iterate.files && iterate.keep !== 'best')
    problems.add({
      code: 'AR342',
      message: 'iterate.files has no effect: with keep: all nothing is put back',
      at: { kind: 'config', pointer: pointerOf('iterate', 'files'), key: true },
      hint: 'Take it out, or write keep: best',
    });
  if (iterate.budget?.time !== undefined && (parseDuration(iterate.budget.time) ?? 0) < 1000)
    problems.add({
      code: 'AR206',
      message: `iterate.budget.time must be a length of time of a second or more, but is "${iterate.budget.time}"`,
      at: { kind: 'config', pointer: pointerOf('iterate', 'budget', 'time') },
      hint: 'Write a whole number and a unit, such as 30m, 12h or 2d',
    });
}

/** Which iteration it is must not decide by which rules it is judged. */
function checkPlain(iterate: Iterate, problems: Problems): void {
  const visit = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value === 'string' && hasTemplate(value))
      problems.add({
        code: 'AR407',
        message: 'what is under iterate cannot hold a template',
        at: { kind: 'config', pointer: pointerOf(...path) },
        hint: 'Write the value itself',
      });
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) visit(item, [...path, Array.isArray(value) ? Number(key) : key]);
  };
  visit(iterate, ['iterate']);
}

const comparing = ['minEffect', 'repeats', 'patience', 'plateau', 'until'] as const;

function checkMetric(iterate: Iterate, problems: Problems): void {
  if (iterate.metric) return;
  const need = (key: string, what: string): void =>
    problems.add({
      code: 'AR340',
      message: `${what} needs a number to go by, and there is no iterate.metric`,
      at: { kind: 'config', pointer: pointerOf('iterate', key), key: true },
      hint: 'Add metric: { stage: …, name: …, better: lower }',
    });
  for (const key of comparing) if (iterate[key] !== undefined) need(key, `iterate.${key}`);
  if (iterate.keep === 'best') need('keep', 'keep: best');
}

function checkStage({ stages }: Config, { metric }: Iterate, problems: Problems): void {
  if (!metric || Object.hasOwn(stages, metric.stage)) return;
  const hint = didYouMean(metric.stage, Object.keys(stages));
  problems.add({
    code: 'AR301',
    message: `there is no stage "${metric.stage}"`,
    at: { kind: 'config', pointer: pointerOf('iterate', 'metric', 'stage') },
    ...(hint === undefined ? {} : { hint }),
  });
}
