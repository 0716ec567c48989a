/** The sorts of work that an agent is given. Each has its own prompt and its own idea of what counts as done. */
export interface Kind {
  readonly role: 'author' | 'reviewer';
  readonly access: 'read' | 'write';
  /** Whether "done" without a changed file is believed. */
  readonly mustChange: boolean;
  /** What the agent is told about how to do it. */
  readonly rules: readonly string[];
}

export const kinds = {
  implement: {
    role: 'author',
    access: 'write',
    mustChange: true,
    rules: [
      'Implement what is asked for, all of it and nothing else. Follow the patterns that the code already has.',
      'The design is given: do not choose or change architecture, algorithm, hyper-parameters, data or metrics. If it cannot be built as it is, change nothing and answer "escalate" with the reason "design".',
    ],
  },
  debug: {
    role: 'author',
    access: 'write',
    mustChange: true,
    rules: [
      'Find the cause of the error and mend only that. Do not refactor, do not make tests weaker, do not silence the error.',
      'If the cause is a mistake of design, change nothing and answer "escalate" with the reason "design".',
    ],
  },
  train: {
    role: 'author',
    access: 'write',
    mustChange: true,
    rules: [
      'Start the training as it is configured and watch its start: the first step is reached, the loss is a finite number, no error is logged.',
      'Do not change the code, the data or any hyper-parameter. Report what happens without interpreting it. A result far from what was expected is to be escalated with the reason "design", not tried again.',
    ],
  },
  extract: {
    role: 'author',
    access: 'write',
    mustChange: true,
    rules: [
      'Take the numbers from the logs and result files as they are and write them in the form asked for. Never compute, guess or round what is not there: leave it out and say so in "notes".',
      'Do not change the files that you read.',
    ],
  },
  analyze: {
    role: 'author',
    access: 'read',
    mustChange: false,
    rules: [
      'Look and answer; change no file. Say for each finding in which file and line it stands.',
      'Put the whole analysis into "notes" of your answer, in Markdown. It is written to a file for you.',
    ],
  },
  review: {
    role: 'reviewer',
    access: 'read',
    mustChange: false,
    rules: [
      'You review the work of somebody else. Look at the files themselves; what the author says about them is not evidence.',
      '"pass" only if every point below holds; "revise" if it can be mended; "reject" if it is wrong from the ground up. When in doubt do not pass. Name file and line for each reason.',
    ],
  },
} as const satisfies Record<string, Kind>;

export type TaskKind = keyof typeof kinds;
