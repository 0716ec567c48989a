import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readData } from '../../adapters/behaviours/output-schema.js';
import { readStart } from '../../adapters/disk/read-start.js';
import { readAnswers, takeAnswerBack } from '../../adapters/journal/gate-answers.js';
import type { Reporter } from '../../model/ports.js';
import type { RunState } from '../../model/state/run-state.js';
import type { GatePorts } from '../../run/gates/gate-ports.js';
import type { CliContext } from '../context.js';
import { type DecidedPlace, decidedBefore } from '../history/decided-before.js';

export interface GatePortsInput {
  readonly root: string;
  /** The run's folder. */
  readonly dir: string;
  readonly context: CliContext;
  readonly reporter: Reporter;
  state(): RunState | undefined;
  readonly before: Pick<DecidedPlace, 'store' | 'run' | 'name'>;
}

/** The outside world, as gates see it; loaded for a plan that has one. */
export async function gatePorts({ root, dir, context, reporter, state, before }: GatePortsInput): Promise<GatePorts> {
  const autonomous = context.flag('autonomous');
  const canAsk = !autonomous && isAtTerminal(context);
  return {
    autonomous,
    answers: () => readAnswers(dir),
    dropAnswer: (id) => void takeAnswerBack(dir, id),
    decidedBefore: decidedBefore({ root, context, ...before }),
    newQuestion: () => randomBytes(8).toString('hex'),
    readData: (path) => readData(join(root, path)),
    readStart: (path, most) => readStart(join(root, path), most),
    ...(canAsk
      ? { askPerson: await (await import('./ask-person.js')).askPerson({ root, context, reporter, state }) }
      : {}),
  };
}

/** Somebody sits there who sees the tree, and can type. */
function isAtTerminal(context: CliContext): boolean {
  const view = context.flag('json') ? 'json' : (context.value('reporter') ?? (context.stdout.isTty ? 'tree' : 'plain'));
  return view === 'tree' && !context.quiet && context.stdout.isTty && process.stdin.isTTY === true;
}
