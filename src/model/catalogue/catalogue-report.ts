/** AR640 to AR659: records, reports, figures and exports. `catalogue` holds these among the others. */
export const reportCatalogue = {
  AR640: {
    title: 'The template of the execution record cannot be used',
    cause:
      '`report.template` names a file that is not there, or that names something a record does not hold. It is tried out before anything runs, so that a night ends with its record.',
    fix: 'Correct the file. `autoresearch report --json` prints what a template may name.',
  },
  AR641: {
    title: 'The run cannot be exported there',
    cause:
      'The folder to export to is there already and holds something, which would be mixed with the run; or the plan of the run is gone.',
    fix: 'Name another folder with `--out`.',
  },
} as const;
