/** AR3xx: what a config refers to, and what nothing refers to. `catalogue` holds these among the others. */
export const referenceCatalogue = {
  AR301: {
    title: 'Unknown stage',
    cause: 'A stage is named, in `needs` or on the command line, that the config does not declare.',
    fix: 'Correct the name, or declare the stage under `stages`.',
  },
  AR302: {
    title: 'Unknown behaviour',
    cause: '`uses` names a behaviour that is not built in, not at that path and not an installed package.',
    fix: 'Check the spelling, begin a path with `./`, or install the package. `autoresearch stages list` shows the built-in ones.',
  },
  AR303: {
    title: 'Unknown agent',
    cause: 'An agent is named that is not declared under `agents`.',
    fix: 'Correct the name, or declare the agent.',
  },
  AR304: {
    title: 'Unknown cluster',
    cause: '`on` names a cluster that is not declared under `clusters`.',
    fix: 'Correct the name, or declare the cluster.',
  },
  AR305: {
    title: 'A behaviour could not be loaded',
    cause:
      'The module of a behaviour was found, but it threw an error while it was loaded or does not export a behaviour.',
    fix: 'Export the result of `defineStage` as default. `stages/_template` shows a complete one.',
  },
  AR307: {
    title: 'Unused variable',
    cause:
      'A variable under `vars` is used by nothing. It may be a misspelling of one that is, or the leftover of an edit.',
    fix: 'Use it as `{{vars.NAME}}` or in an expression, or take it out.',
  },
  AR308: {
    title: 'Unknown variable',
    cause:
      '`--set` names a variable that the config does not declare under `vars`, so setting it would have no effect.',
    fix: 'Correct the name, or declare the variable with a default value under `vars`.',
  },
  AR309: {
    title: 'A variable was set to another type',
    cause: '`--set` gives a variable another type than the config does, such as text for a number.',
    fix: 'Give a value of the declared type, or change the declaration under `vars`.',
  },
  AR310: {
    title: 'An agent without a price or a cap',
    cause:
      'A budget limits money, and an agent that the study uses has neither `limits.usd` nor a model with a price, so nobody could say what its calls leave of the budget.',
    fix: 'Give the agent `limits.usd`, the most that one call may cost, or its model a price under `prices`.',
  },
  AR311: {
    title: 'Unused price',
    cause:
      'A price under `prices` is for a model that no agent has. It may be a misspelling of one that has, or the leftover of an edit.',
    fix: 'Correct the name of the model, or take the price out.',
  },
  AR312: {
    title: 'A budget that has no effect',
    cause: 'A stage has a budget, but no agent works, mends or judges in it, so it can spend nothing.',
    fix: 'Take the budget out, or give the stage an agent.',
  },
  AR313: {
    title: 'An agent does not fit its backend',
    cause:
      'The agent lacks something that its backend cannot do without, or has something that its backend would not read.',
    fix: 'Add what is missing, or take out what has no effect: `run` is for the backend `command`, `baseUrl` and `apiKeyEnv` are for `api`, `path` and `args` for the coding CLIs.',
  },
  AR314: {
    title: 'Unused agent',
    cause:
      "An agent under `agents` is asked by nothing: it is no stage's `agent`, `retry.fix` or judge, and is not in `escalate`. It may be a misspelling, or the leftover of an edit.",
    fix: 'Name it where it is to be asked, or take it out. An agent that comes from a preset may stay unused.',
  },
  AR315: {
    title: 'A cap above a ceiling',
    cause:
      'A call starts only when every ceiling has room for its `limits.usd`. This one is above a ceiling from the beginning, so no call could ever start.',
    fix: 'Lower `limits.usd`, the most that one call may cost, or raise the ceiling.',
  },
  AR316: {
    title: 'A variable that is to be passed on is not set',
    cause:
      '`passEnv` names an environment variable that the program was started without, so the stage or the agent would do without it.',
    fix: 'Set the variable before you start, or end the name in `*` if it may be missing: a pattern may match nothing.',
  },
  AR317: {
    title: 'A secret does not belong in a config',
    cause:
      "A variable under a stage's `env` is called like a secret, or the value of a secret in the environment stands in the config. Configs and plans are shown, saved and shared.",
    fix: 'Take it out, set it in the environment that the program is started from, and name it under `passEnv`.',
  },
} as const;
