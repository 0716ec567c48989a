import type { Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { quotedList } from '../../source/quoted-list.js';
import type { Problems } from '../problems.js';
import type { Draft } from '../task/draft.js';

/** Whether a stage has the agent that its behaviour asks, and what the behaviour itself says is wrong. */
export function checkTaskAgent({ agents = {} }: Config, { task, config }: Draft, problems: Problems): void {
  const { asks, problems: own = [] } = task.description;
  const at = ['stages', task.stage];
  for (const message of own)
    problems.add({
      code: 'AR327',
      message,
      at: { kind: 'config', pointer: pointerOf(...at, 'with'), key: true },
      hint: `Change what the message names under with; autoresearch stages show ${task.uses} prints what it takes`,
    });
  if (asks && config.agent === undefined) {
    const names = Object.keys(agents);
    problems.add({
      code: 'AR322',
      message: `stage "${task.stage}" asks an agent and names none`,
      at: { kind: 'config', pointer: pointerOf(...at), key: true },
      hint:
        names.length === 0
          ? 'Declare one under agents, and add agent: NAME here'
          : `Add agent: one of ${quotedList(names)}`,
    });
  }
  if (!asks && config.agent !== undefined && task.description.summary !== '')
    problems.add({
      code: 'AR323',
      message: `the behaviour "${task.uses}" asks no agent`,
      at: { kind: 'config', pointer: pointerOf(...at, 'agent'), key: true },
      hint: 'Take it out, or write uses: agent',
    });
  const backend = task.agent?.backend;
  if (asks && asks.helpers > 0 && backend !== undefined && !countsHelpers.has(backend))
    problems.add({
      code: 'AR324',
      message: `agent "${config.agent}" is of the backend "${backend}", whose helpers nobody could count`,
      at: { kind: 'config', pointer: pointerOf(...at, 'with', 'helpers'), key: true },
      hint: 'Take helpers out, or use an agent of the backend claude, api or command',
    });
}

const countsHelpers: ReadonlySet<string> = new Set(['claude', 'api', 'command', 'replay']);
