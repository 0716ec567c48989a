/** AR36x: what is declared about a fair comparison. `catalogue` holds these among the others. */
export const comparisonCatalogue = {
  AR365: {
    title: 'Unknown parity check',
    cause: 'A stage that `uses: parity` names a check that the config does not declare under `parity`.',
    fix: 'Correct the name, or declare the check with its arms and parameters.',
  },
  AR366: {
    title: 'A part of a parity check in the wrong place',
    cause: 'Arms, parameters and exceptions belong to the entry under `parity`; a stage that checks it only names it.',
    fix: 'Move the key to the entry under `parity`.',
  },
  AR367: {
    title: 'A combination that does not fit the matrix',
    cause:
      'An entry of `include` or `exclude` has a name that the matrix does not, leaves a name open, or takes away a combination that is not there.',
    fix: 'Correct its names and values. An entry of `include` has a value for every name of the matrix; one of `exclude` may have fewer.',
  },
  AR368: {
    title: 'A limit that has no effect',
    cause: '`parallel` limits how many tasks of a stage are at work at once, and this stage has only one.',
    fix: 'Take it out, or give the stage a `matrix` or a task file.',
  },
  AR369: {
    title: 'A comparison of a table that no task makes',
    cause:
      'A stage that `uses: compare` reads a table that no stage has among its outputs, so nobody could tell whether it is of this run or lay there before.',
    fix: 'Name it under `outputs` of the stage that makes it. A table from elsewhere is named under `inputs` of the comparison, which then says so in its result.',
  },
} as const;
