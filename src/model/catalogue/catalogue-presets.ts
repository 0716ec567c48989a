/** AR11x: presets and their parameters. `catalogue` holds these among the others. */
export const presetCatalogue = {
  AR111: {
    title: 'A parameter of a preset is not set',
    cause: 'A preset that the config extends has a parameter without a default, and only the study knows its value.',
    fix: 'Set it under `vars`, or with `--set NAME=VALUE`. `autoresearch presets show NAME` lists all parameters with examples.',
  },
  AR112: {
    title: 'A parameter of a preset is declared wrongly',
    cause:
      'Its words contradict each other (bounds of numbers on text, say), or `variants` name a parameter or a value that is not declared.',
    fix: 'Correct the declaration in the preset. `autoresearch presets check FILE` looks at all of it.',
  },
  AR113: {
    title: 'A preset does not say what it does',
    cause: 'Neither its first comment nor `summary` says in a line what the preset is for, so nobody can choose it.',
    fix: 'Begin the file with a comment that says what it does, with a small picture of the flow.',
  },
  AR114: {
    title: 'A variable of a preset is not documented',
    cause:
      'The preset uses a variable, or sets one, that is not among its `params`; whoever uses the preset cannot know of it.',
    fix: 'Declare it under `params` with a type, a description and a default or an example.',
  },
  AR115: {
    title: 'Nothing uses a parameter of a preset',
    cause: 'A parameter is declared that no template, no expression, no setting and no variant of the preset uses.',
    fix: 'Use it as `{{vars.NAME}}`, or take it out.',
  },
  AR116: {
    title: 'A parameter has neither a default nor an example',
    cause: 'Without a value of either kind nobody sees what is meant, and the preset cannot be tried.',
    fix: 'Give it an `example`; or a `default`, if most studies would use the same value.',
  },
} as const;
