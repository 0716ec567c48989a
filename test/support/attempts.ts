import type { AgentAnswer } from '../../src/model/agents/agent.js';
import type { RecordedEvent } from '../../src/model/events/event.js';
import type { Agent } from '../../src/model/generated/config.js';
import type { StageResult } from '../../src/model/stage.js';
import type { RunRig } from './run-rig.js';

export const exit = (exitCode: number): StageResult => ({ ok: false, failure: { code: 'command-failed', exitCode } });
export const passed: StageResult = { ok: true };

/** An agent, and an answer of one that has mended something. */
export const coder: Agent = { backend: 'command', run: './coder', limits: { usd: 2 } };
export const done = (summary = 'mended'): AgentAnswer => ({ ok: true, reply: { outcome: 'done', summary }, usd: 0.5 });

/** Answers one after the other; the last one for ever. */
export const inTurn = (...results: readonly StageResult[]) => {
  let turn = 0;
  return async (): Promise<StageResult> => results[Math.min(turn++, results.length - 1)]!;
};

/** Attempt and class of each failure, and whether it was the last. */
export const failures = (rig: RunRig) =>
  rig.events.flatMap((event) =>
    event.type === 'task-failed' ? [`${event.attempt} ${event.errorClass}${event.retrying ? '' : ' last'}`] : [],
  );

export const of = <T extends RecordedEvent['type']>(rig: RunRig, type: T) =>
  rig.events.filter((event): event is Extract<RecordedEvent, { type: T }> => event.type === type);
