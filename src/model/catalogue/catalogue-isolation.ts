/** AR509 to AR514: worktrees, task files and what is protected. `catalogue` holds these among the others. */
export const isolationCatalogue = {
  AR509: {
    title: 'No worktree can begin from the checkout',
    cause:
      'A stage has `isolation: worktree`, and the project is in no git repository, has no commit or branch, is in the middle of a merge, or has changes that are in no commit: an agent in a worktree would not have them.',
    fix: 'Commit the changes, or put them aside with `autoresearch exec --stash`; `git stash pop` brings them back. Outputs of stages do not count.',
  },
  AR510: {
    title: 'Nothing to commit',
    cause: 'A stage has `commit`, but neither outputs nor `isolation: worktree`, so there would be nothing to commit.',
    fix: 'Add outputs, or isolation, or take `commit` out.',
  },
  AR511: {
    title: 'A task file that cannot be carried out',
    cause:
      'A file of tasks that a stage goes by is not what it should be: words that are not known, tasks that wait for each other, two tasks that write one file at the same time, ids that are not there.',
    fix: 'Mend the line that the message shows. `schemas/tasks.schema.json` describes tasks.yaml, docs/tasks.md both forms.',
  },
  AR512: {
    title: 'Tasks that cannot be told apart',
    cause: 'Two tasks of a task file would have the same name, or a stage has both a matrix and a task file.',
    fix: 'Give the tasks other ids, or the matrix a stage of its own.',
  },
  AR513: {
    title: 'A task wants to write outside of the scope of its stage',
    cause: 'The files of a task in a task file are not all inside of `scope` of the stage that carries it out.',
    fix: 'Widen `scope` of the stage if that is right, or correct the task file.',
  },
  AR514: {
    title: 'An entry of protect protects nothing',
    cause:
      'No file matches an entry of `protect`, and no stage says that it makes one. A misspelt path would leave what it was meant for without protection. Or the entry leads through a symbolic link: links are protected as links, so what lies behind one would not be.',
    fix: 'Correct the path, which is relative to the config. What a stage makes later is protected from the beginning when it is in `outputs` (or `scope`) of that stage. For a file that must not appear write `**/NAME`. Entries of presets are not asked for.',
  },
} as const;
