import type { Diagnostic } from '../../model/diagnostic.js';
import type { Autonomous, Config, Gate, HumanGate, JudgeGate, Stage } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';

/** A config in which nobody is ever asked, or what keeps it from being one. */
export interface AutonomousConfig {
  readonly config: Config;
  readonly problems: readonly Diagnostic[];
  /** For gates that are not in the config, but in a task file. */
  readonly standIn?: Gate;
}

/**
 * What `--autonomous` makes of a config. A human gate becomes one that a judge decides; where the config says `fail`, the
 * gate stays, and rejects when it is reached. Without a word about it, asking is a mistake that is found before anything runs.
 */
export function autonomousConfig(config: Config): AutonomousConfig {
  const { autonomous } = config;
  if (!autonomous) return { config, problems: asking(config).map(unanswered) };
  if (autonomous.human === 'fail' || !autonomous.judge || !autonomous.criteria)
    return { config: unasked(config), problems: [] };
  const judge = judgeOf(autonomous);
  const stages = Object.fromEntries(
    Object.entries(config.stages).map(([name, stage]) => [name, isHuman(stage.gate) ? judged(stage, judge) : stage]),
  );
  return { config: unasked({ ...config, stages }), problems: [], standIn: judge };
}

/** What is wrong with `autonomous` itself, whether it is used this time or not. */
export function autonomousProblems({ autonomous }: Config): readonly Diagnostic[] {
  if (!autonomous) return [];
  const given = (['judge', 'criteria', 'votes'] as const).filter((key) => autonomous[key] !== undefined);
  if (autonomous.human === 'fail')
    return given.map((key) => ({
      code: 'AR334',
      message: `${key} has no effect where a human gate fails`,
      at: { kind: 'config', pointer: pointerOf('autonomous', key), key: true },
      hint: 'Take it out, or write human: auto-judge',
    }));
  return (['judge', 'criteria'] as const)
    .filter((key) => autonomous[key] === undefined)
    .map((key) => ({
      code: 'AR334',
      message: `autonomous.human is "auto-judge", and ${key === 'judge' ? 'nobody is named who judges' : 'nothing says what is judged by'}`,
      at: { kind: 'config', pointer: pointerOf('autonomous'), key: true },
      hint: key === 'judge' ? 'Add judge: the name of an agent' : 'Add criteria: a list of what is asked of the work',
    }));
}

const isHuman = (gate: Gate | undefined): boolean =>
  gate === 'human' || (typeof gate === 'object' && gate.kind === 'human');

function judgeOf({ judge, criteria, votes }: Autonomous): JudgeGate {
  return { kind: 'auto-judge', agent: judge!, criteria: criteria!, ...(votes === undefined ? {} : { votes }) };
}

function judged(stage: Stage, judge: JudgeGate): Stage {
  const { evidence, revise, exhausted } =
    stage.gate === 'human' ? ({} as Partial<HumanGate>) : (stage.gate as HumanGate);
  return {
    ...stage,
    gate: {
      ...judge,
      ...(evidence ? { evidence } : {}),
      ...(revise ? { revise } : {}),
      ...(exhausted ? { exhausted } : {}),
    },
  };
}

/** Whoever would have asked a person at last fails instead. */
function unasked(config: Config): Config {
  const stages = Object.fromEntries(
    Object.entries(config.stages).map(([name, stage]): [string, Stage] => {
      const { gate } = stage;
      if (typeof gate !== 'object' || gate.kind === 'human' || gate.exhausted !== 'human') return [name, stage];
      return [name, { ...stage, gate: { ...gate, exhausted: 'fail' } }];
    }),
  );
  // Nothing stands in for a person's words: the next one in the list is asked.
  const escalate = config.escalate
    ?.filter((name) => name !== 'instructions')
    .map((name) => (name === 'human' ? 'fail' : name));
  return { ...config, stages, ...(escalate ? { escalate } : {}) };
}

interface Asking {
  readonly what: string;
  readonly path: readonly (string | number)[];
}

function asking({ stages, escalate = [] }: Config): readonly Asking[] {
  const gates = Object.entries(stages).flatMap(([name, { gate }]): Asking[] => {
    const path = ['stages', name, 'gate'];
    if (isHuman(gate)) return [{ what: `the gate of "${name}" asks a person`, path }];
    if (typeof gate !== 'object' || gate.exhausted !== 'human') return [];
    return [{ what: `the gate of "${name}" asks a person at last`, path: [...path, 'exhausted'] }];
  });
  const tries = escalate.flatMap((name, index): Asking[] => {
    if (name !== 'human' && name !== 'instructions') return [];
    const what = name === 'human' ? 'spent tries are brought before a person' : 'spent tries wait for instructions';
    return [{ what, path: ['escalate', index] }];
  });
  return [...gates, ...tries];
}

const unanswered = ({ what, path }: Asking): Diagnostic => ({
  code: 'AR333',
  message: `${what}, and in autonomous mode nobody is asked`,
  at: { kind: 'config', pointer: pointerOf(...path) },
  hint: 'Say what stands in: autonomous: { human: auto-judge, judge: NAME, criteria: […] }, or { human: fail }',
});
