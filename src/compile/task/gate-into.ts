import type { Gate } from '../../model/generated/config.js';
import type { CompileInput } from '../compile-input.js';
import type { Draft } from './draft.js';
import type { draftGate as DraftGate, GateTools } from './draft-gate.js';
import { taskAgent } from './task-agent.js';

interface IntoTools extends GateTools {
  readonly input: CompileInput;
  readonly draftGate?: typeof DraftGate | undefined;
}

/** The gate of a task, and who judges at it. */
export function gateInto(task: Draft['task'], written: Gate, tools: IntoTools): void {
  const { input, draftGate } = tools;
  // A task file may ask for a person too.
  const gate = written === 'human' ? (input.standIn ?? written) : written;
  task.gate = typeof gate === 'string' ? gate : draftGate ? draftGate(gate, task.stage, tools) : gate;
  if (typeof gate !== 'object' || gate.kind !== 'auto-judge') return;
  const judge = input.config.agents?.[gate.agent];
  if (judge)
    task.judge = taskAgent(gate.agent, judge, { auto: input.autoAgents?.has(gate.agent), replayed: input.replay });
}
