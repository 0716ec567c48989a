import type { CommandRunner } from '../../model/ports.js';

/**
 * Whatever a command has started is ended with it, before anybody goes on: what an experiment leaves running could write
 * over what is measured after it.
 */
export const leavingNothing = (commands: CommandRunner): CommandRunner => ({
  start: (spec) => commands.start({ ...spec, leavesNothing: true }),
  close: () => commands.close(),
});
