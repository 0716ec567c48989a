import type { Diagnostic } from '../../model/diagnostic.js';
import type { Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import type { Files } from '../../model/ports.js';

/** A loop without the goal that it was given would work towards nothing. */
export function missingGoal({ iterate }: Config, files: Files): readonly Diagnostic[] {
  const goal = iterate?.goal;
  if (goal === undefined || (files.stamp(goal)?.size ?? 0) > 0) return [];
  return [
    {
      code: 'AR507',
      message: `${goal} is not there, or is empty, and says what the loop is for`,
      at: { kind: 'config', pointer: pointerOf('iterate', 'goal') },
      hint: 'Write it, or correct the path (paths are relative to the config)',
    },
  ];
}
