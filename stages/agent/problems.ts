import type { StageFacts } from 'autoresearch';
import type { TaskKind } from './kinds.js';
import type { AgentOptions } from './options.js';

/** What is wrong with the options, beyond what their schema can say. */
export function problemsOf(kind: TaskKind, options: AgentOptions, { outputs, scope }: StageFacts): string[] {
  const { instructions, template, data, verify, to, of, criteria, helpers } = options;
  const reads = kind === 'analyze' || kind === 'review';
  return [
    ...(instructions === undefined && template === undefined && kind !== 'review'
      ? ['say what is to be done: instructions, or a template']
      : []),
    ...(data !== undefined && template === undefined ? ['data has no effect without a template'] : []),
    ...(kind === 'implement' && verify === undefined && outputs.length === 0
      ? ['say what can be checked when it is done: outputs, or verify']
      : []),
    ...(reads && scope !== undefined ? [`scope has no effect for the kind ${kind}: nothing may be changed`] : []),
    ...(kind === 'debug' && verify === undefined
      ? ['a stage that debugs needs verify: the command that has to pass']
      : []),
    ...((kind === 'extract' || kind === 'train') && outputs.length === 0
      ? [`a stage of the kind ${kind} needs outputs: the files that have to be there afterwards`]
      : []),
    ...(reads && to === undefined
      ? [`a stage of the kind ${kind} needs to: the file that the answer is written to`]
      : []),
    ...(!reads && to !== undefined ? [`to has no effect for the kind ${kind}`] : []),
    ...(reads && verify !== undefined ? [`verify has no effect for the kind ${kind}: nothing is changed`] : []),
    ...(kind === 'review' && criteria === undefined && template === undefined
      ? ['a review needs criteria: what is asked of the work']
      : []),
    ...(kind !== 'review' && criteria !== undefined ? [`criteria have no effect for the kind ${kind}`] : []),
    ...(kind !== 'review' && of !== undefined ? [`of has no effect for the kind ${kind}`] : []),
    ...(kind === 'review' && helpers !== undefined ? ['helpers have no effect for a review'] : []),
  ];
}
