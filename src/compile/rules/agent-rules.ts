import { endsEscalation } from '../../model/errors/retry-limits.js';
import type { Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { nearest } from '../../source/did-you-mean.js';
import type { Problems } from '../problems.js';
import { agentsUsed } from '../task/agents-used.js';

/** An agent that the user's own file declares and nothing asks. */
export function checkUnusedAgents(config: Config, userAgents: ReadonlySet<string>, problems: Problems): void {
  if (userAgents.size === 0) return;
  const used = agentsUsed(config);
  const unknown = [...used].filter((name) => config.agents?.[name] === undefined);
  for (const name of userAgents) {
    if (used.has(name)) continue;
    const near = nearest(name, unknown);
    problems.add({
      code: 'AR314',
      message: `nothing uses the agent "${name}"`,
      at: { kind: 'config', pointer: pointerOf('agents', name), key: true },
      hint:
        near === undefined
          ? 'Name it in retry.fix of a stage or in escalate, or take it out'
          : `"${near}" is asked for and not declared; is it this one?`,
    });
  }
}

/** Who comes after a person, or after the end, is never asked, and nobody is asked twice. */
export function checkEscalation({ escalate = [] }: Config, problems: Problems): void {
  const last = escalate.findIndex(endsEscalation);
  for (const [index, name] of escalate.entries()) {
    const isLate = last !== -1 && index > last;
    if (!isLate && escalate.indexOf(name) === index) continue;
    problems.add({
      code: 'AR209',
      message: isLate
        ? `"${name}" has no effect after "${escalate[last]}": it is never reached`
        : `"${name}" has no effect here: it is asked once, and stands in the list already`,
      at: { kind: 'config', pointer: pointerOf('escalate', index) },
      hint: isLate && !endsEscalation(name) ? `Take it out, or put it before "${escalate[last]}"` : 'Take it out',
    });
  }
}
