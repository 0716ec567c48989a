/** AR34x: `iterate`. `catalogue` holds these among the others. */
export const iterateCatalogue = {
  AR340: {
    title: 'A rule of the loop that cannot be followed',
    cause:
      'Something under `iterate` speaks of better and worse, such as `keep: best`, `patience`, `plateau`, `minEffect`, `repeats` or `until`, and no `metric` says which number that is.',
    fix: 'Add `iterate.metric` with `stage`, `name` and `better`, or take the rule out.',
  },
  AR341: {
    title: 'A metric that an iteration cannot change',
    cause:
      'The stage of `iterate.metric` stands for several tasks, runs only once for all iterations, or changes the files itself that it measures: its number would say nothing about an iteration.',
    fix: 'Name a stage that is one task, comes after the stages that change something, and only measures.',
  },
  AR342: {
    title: 'It is not clear what is kept or put back',
    cause:
      'With `keep: best` the files of `iterate.files`, or the scopes of all stages, are committed or put back after each iteration. There are none, an agent may write anywhere, nothing changes them, or a scope leads where nothing is kept.',
    fix: 'Give each agent that writes a `scope`, or name the files under `iterate.files`. A stage that asks no agent, such as a command, has no scope: name what it changes under its `outputs`, and under `iterate.files`. `iterate.files` has no effect with `keep: all`.',
  },
  AR343: {
    title: 'The loop would write its own rules',
    cause:
      'The goal, the insights, the table of results or the config are among the files that an iteration may change, and would be kept or put back with them.',
    fix: 'Keep them out of `iterate.files` and of the scopes of stages.',
  },
  AR344: {
    title: 'The loop cannot keep or put back anything here',
    cause:
      '`keep: best` commits what was progress and puts back the rest. The project is in no git repository, has no commit or branch, is in the middle of a merge, has changes that are in no commit, or what the loop writes is in a submodule, or goes through a filter (LFS): what git would keep is not what was measured.',
    fix: 'Commit the changes, or put them aside with `git stash`. Outputs of stages do not count, unless they are among the files of the loop. Let the loop be about files that git keeps as they are.',
  },
  AR345: {
    title: 'The checkout is not where the loop left it',
    cause:
      'With `keep: best` an iteration begins where the one before it ended. Since then somebody has committed, gone back or checked out another branch, and that would count for the next iteration, or against it.',
    fix: 'Go back with the commands that are named, or begin another series with `autoresearch exec --new`: its baseline measures what is there now.',
  },
  AR346: {
    title: 'Numbers that cannot be compared',
    cause:
      'The metric, what the stages of the baseline do, what is protected or what these stages read is not what it was when the iterations so far were measured. A better number could come from that alone.',
    fix: 'Undo the change, or begin another series with `autoresearch exec --new`, which measures a baseline of its own.',
  },
  AR347: {
    title: 'A number that its stage does not record',
    cause:
      '`iterate.metric.name` is no number that the stage of the metric will record: it is misspelt, or the stage records none. `extract` records what its `metrics` name (with `each` as `loss[seed=1]`), `compare` `improvement[ARM]`; `command` and the others record none.',
    fix: 'Name one of those that the message lists, or let a stage that uses `extract` take the number out of a file.',
  },
} as const;
