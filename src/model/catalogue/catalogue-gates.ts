/** AR33x: gates. `catalogue` holds these among the others. */
export const gateCatalogue = {
  AR330: {
    title: 'A gate without checks',
    cause: '`gate: auto` has nothing to check, and zero checks never pass.',
    fix: 'Write `gate: { kind: auto, checks: […] }`, or take the gate out.',
  },
  AR331: {
    title: 'A judge that remembers',
    cause: 'A judge has to see each piece of work afresh, and this agent keeps a session.',
    fix: 'Declare an agent of its own for judging, with `lifecycle: stateless`.',
  },
  AR332: {
    title: 'A check that is not one',
    cause: 'A check of a gate is an expression, a command or a file; this one is none of them, or two at once.',
    fix: 'Write an expression, `{ command: … }`, `{ file: … }` or `{ file: …, schema: … }`.',
  },
  AR333: {
    title: 'A question in autonomous mode',
    cause: 'With `--autonomous` nothing is ever asked, and the config brings something before a person.',
    fix: 'Say what stands in for a person under `autonomous`, or leave `--autonomous` out.',
  },
  AR334: {
    title: 'What stands in for a person is not clear',
    cause: '`autonomous.human: auto-judge` needs `judge` and `criteria`; `fail` takes neither.',
    fix: 'Add what is missing, or take out what has no effect.',
  },
  AR335: {
    title: 'Work sent back to the wrong stage',
    cause: '`revise.stage` names a stage that does not come before the gate, so its rework would change nothing there.',
    fix: 'Name the stage of the gate or one that it needs, or take `stage` out.',
  },
  AR336: {
    title: 'Nothing to judge',
    cause:
      'A judge or a person is shown the evidence of the gate, or the outputs of the stage, and a verdict counts for these. There is neither, so it would count for anything.',
    fix: 'Add `evidence` to the gate, or `outputs` to the stage.',
  },
  AR337: {
    title: 'A person is asked about what is done again anyway',
    cause:
      'A stage with `cache: false` runs whenever the run goes on, also after its gate was answered, and the answer is then about something else.',
    fix: 'Take `cache: false` out, or let a judge or checks decide.',
  },
} as const;

/** AR605 to AR609: answers to gates. */
export const answerCatalogue = {
  AR605: {
    title: 'No such gate waits',
    cause: 'An answer was given for a task that does not wait at a gate in that run.',
    fix: '`autoresearch gates` lists what waits, in all runs, with the commands that answer it.',
  },
  AR606: {
    title: 'It is not clear which gate is meant',
    cause: 'Several tasks of the stage wait at their gates.',
    fix: 'Name the task, as `autoresearch gates` prints it.',
  },
  AR607: {
    title: 'Not one of the approvers',
    cause:
      "The gate names who may answer it, and the user who runs this command is not among them. The operating system's user counts, not a variable.",
    fix: 'Let one of the approvers answer, from an account of their own.',
  },
  AR608: {
    title: 'The answer would be about something else',
    cause:
      'What was shown has changed since, the time to answer is over, or the work may not be sent back any more. A verdict is bound to what was looked at.',
    fix: 'Go on with `autoresearch exec`: the gate then asks about what is there now. Look at it, then answer.',
  },
  AR609: {
    title: 'A task cannot answer a gate',
    cause: 'The command was started from inside a task of a run. Whoever does the work does not judge it.',
    fix: 'Answer from a shell of your own.',
  },
} as const;
