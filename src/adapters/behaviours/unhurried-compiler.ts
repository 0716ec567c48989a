/**
 * V8 makes what runs often faster, and clears memory, in threads of its own. In a run of a thousand short tasks that costs
 * more than it brings: a sixth of all processor time, taken from the commands. So it waits longer before it optimises, clears
 * more at once and clears alone. What was kept of earlier compiling (`code-cache`) can only be taken with the usual settings,
 * hence the way back before anything else is loaded.
 */
export async function unhurried<T>(tasks: number, work: () => Promise<T>): Promise<T> {
  // A few tasks are over before anything has run often.
  if (tasks < manyTasks || !process.versions.v8.startsWith(measuredV8)) return work();
  const { setFlagsFromString } = await import('node:v8');
  for (const flag of unhurriedFlags) setFlagsFromString(flag);
  return work().finally(() => {
    for (const flag of usualFlags) setFlagsFromString(flag);
  });
}

const manyTasks = 50;

/** That of Node 20. Later ones call these settings otherwise, complain about names that they do not know, and were not measured. */
const measuredV8 = '11.';

const unhurriedFlags = ['--interrupt-budget=1081344', '--no-parallel-scavenge', '--semi-space-growth-factor=4'];
/** What V8 has of its own accord. */
const usualFlags = ['--interrupt-budget=67584', '--parallel-scavenge', '--semi-space-growth-factor=2'];
