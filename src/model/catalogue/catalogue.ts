import { agentCatalogue } from './catalogue-agents.js';
import { comparisonCatalogue } from './catalogue-comparison.js';
import { answerCatalogue, gateCatalogue } from './catalogue-gates.js';
import { isolationCatalogue } from './catalogue-isolation.js';
import { iterateCatalogue } from './catalogue-iterate.js';
import { jobCatalogue } from './catalogue-jobs.js';
import { readingCatalogue } from './catalogue-reading.js';
import { referenceCatalogue } from './catalogue-references.js';
import { reportCatalogue } from './catalogue-report.js';

/**
 * Every diagnostic has a number that never changes its meaning. `autoresearch explain AR101` and docs/diagnostics.md
 * print this table; `report/` prints the code beside the message.
 */
export const catalogue = {
  ...readingCatalogue,
  AR201: {
    title: 'Unknown key',
    cause:
      'The key is not part of the config at this place. Nothing that is written is ever ignored, so an unknown key is an error.',
    fix: 'Correct the spelling or take the key out. The config reference lists the keys that may stand here.',
  },
  AR202: {
    title: 'Misplaced key',
    cause: 'The key exists, but at another place of the config.',
    fix: 'Move it to the place that the hint names. In YAML the indentation decides where a key belongs.',
  },
  AR203: {
    title: 'Wrong type',
    cause: 'The value is of another kind than this key takes, such as text where a list must be.',
    fix: 'Write the kind of value that the message asks for. In YAML, quotes make text of a number or of `true`.',
  },
  AR204: {
    title: 'Value not allowed',
    cause:
      'The value is of the right kind but is not one of those allowed here, or lies outside the range. Values are never clamped.',
    fix: 'Choose one of the values that the message lists.',
  },
  AR205: {
    title: 'Missing key',
    cause: 'A key that must be there is missing.',
    fix: 'Add the key that the message names. It may also come from a preset.',
  },
  AR206: {
    title: 'Bad duration',
    cause:
      'A duration is a whole number followed by a unit. A number alone does not say whether it means seconds or minutes.',
    fix: 'Write `500ms`, `30s`, `5m`, `2h` or `1d`.',
  },
  AR207: {
    title: 'Bad name',
    cause: 'Names go into task names, file names and commands, so they are kept simple.',
    fix: 'Begin with a letter and go on with letters, digits, `-` or `_`, at most 64 characters. Variables take no `-`.',
  },
  AR208: {
    title: 'Bad regular expression',
    cause: 'The expression cannot be read, or fits an empty text and so everything.',
    fix: 'Mend it as the message says. It is a JavaScript expression; `^` and `$` stand for the ends of a line.',
  },
  AR209: {
    title: 'Without effect',
    cause:
      'What is written here can never make a difference beside the rest. Nothing that is written is ever ignored, so it is an error.',
    fix: 'Take it out, or change what keeps it from having an effect, as the hint says.',
  },
  AR210: {
    title: 'A name that is taken',
    cause: 'The name has a meaning of its own here, and giving it another would make two things look the same.',
    fix: 'Choose another name.',
  },
  ...referenceCatalogue,
  ...agentCatalogue,
  ...gateCatalogue,
  ...iterateCatalogue,
  ...comparisonCatalogue,
  AR401: {
    title: 'A template has a syntax error',
    cause:
      'The template cannot be read: braces that do not match, a block that is not closed, or a name that cannot stand there.',
    fix: 'Mend it at the underlined place. `{{vars.NAME}}` and `{{matrix.NAME}}` are the usual forms.',
  },
  AR402: {
    title: 'Unknown name in a template',
    cause: 'The template uses a name that does not exist here. It would have become an empty text.',
    fix: 'Correct the name, declare it under `vars`, or add it to the `matrix` of the stage.',
  },
  AR403: {
    title: 'A value cannot be quoted here',
    cause:
      'A value goes into shell text at a place where it cannot be quoted safely, such as a here-document, a comment or code for a second shell.',
    fix: 'Pass it through `env` and use it as "$NAME". Write `{{{name}}}` to put it in raw; `plan` will point that out.',
  },
  AR404: {
    title: 'An expression has a syntax error',
    cause: 'The expression is not valid CEL, the language of `when` and of gate checks.',
    fix: "Mend it at the underlined place. Compare with `==`, join with `&&` and `||`, and put text into quotes: `vars.mode == 'full'`.",
  },
  AR405: {
    title: 'Unknown name in an expression',
    cause: 'The expression uses a name that does not exist here.',
    fix: 'Use `vars.NAME`, or `matrix.NAME` in a stage that has a matrix. Declare what is missing.',
  },
  AR406: {
    title: 'An expression does not give true or false',
    cause: 'A condition must give true or false. Text or a number is not taken for one of them.',
    fix: "Write a comparison, such as `vars.steps > 10` or `vars.mode == 'full'`.",
  },
  AR407: {
    title: 'A template where none can stand',
    cause:
      'A template stands in a value that must be known before templates are filled in, such as a name or a reference.',
    fix: 'Write the value itself. Templates work in `with`, `inputs`, `outputs`, `env`, `cwd` and where the reference says so.',
  },
  AR408: {
    title: 'A template gives the wrong kind of value',
    cause: 'After the template was filled in, the value is not of the kind that this key takes.',
    fix: 'Check the variable. A value that is one single `{{vars.NAME}}` keeps the type of the variable; any other becomes text.',
  },
  AR501: {
    title: 'Stages need each other in a circle',
    cause:
      'Every stage of the circle waits for another one, so none could ever start. Edges that follow from inputs and outputs count too.',
    fix: 'Remove one of the edges that the message prints: an entry of `needs`, or an input that is another stage’s output.',
  },
  AR502: {
    title: 'Two tasks write the same output',
    cause: 'Two tasks declare the same output. The result would depend on which one ends last.',
    fix: 'Give each its own path. In a matrix, put the value into it: `results/{{matrix.seed}}.json`.',
  },
  AR503: {
    title: 'An output lies under a protected path',
    cause: 'A stage declares an output, or says it would write a file, that `protect` keeps from being changed.',
    fix: 'Write the output elsewhere, or take the path out of `protect` if it need not be protected.',
  },
  AR504: {
    title: 'A path that a stage may not write',
    cause:
      'A path that a stage writes to, or works in, leads out of the project folder, or belongs to git, to autoresearch or to the config.',
    fix: "Use a path inside the project that is nobody else's. What a stage reads may lie anywhere.",
  },
  AR505: {
    title: 'Two tasks have the same name',
    cause: 'Two combinations of a matrix, or two stages, lead to the same task name.',
    fix: 'Remove the value that is written twice, or rename one of the stages.',
  },
  AR506: {
    title: 'A schema for something that is not an output',
    cause: '`schema` names a path that is not among the outputs of the stage, so it would never be checked.',
    fix: 'Add the path to `outputs`, or correct it. It has to be written the same way in both places.',
  },
  AR507: {
    title: 'A file is not there, and nothing makes it',
    cause:
      'An input of a task that nothing comes before, or a schema, does not exist. It would have failed when its turn came.',
    fix: 'Make the file or correct the path, which is relative to the config. If another stage makes it, add it to the outputs there.',
  },
  AR508: {
    title: 'Left-over results would be collected',
    cause:
      'A glob matches files of a matrix value that is not in this plan, so an old result would count as one of this study.',
    fix: 'Move the files away, take the value back into the matrix, or name the inputs one by one.',
  },
  ...isolationCatalogue,
  AR515: {
    title: 'An input that no stage says it makes',
    cause:
      'An input of a later task does not exist, and no stage has it as an output. An earlier task may make it without saying so; if none does, its task will fail when its turn comes. Or a stage reads results that no stage says it makes, so it waits for nobody and may read them before they are written. `plan` and `exec` say so, and `exec` goes on.',
    fix: 'Correct the path, or add it to the outputs of the stage that makes it.',
  },
  AR517: {
    title: 'A schema that cannot be used',
    cause:
      'A file under `schema` is not JSON or YAML, or is no valid JSON Schema (draft-07), so that no output could ever satisfy it. It is looked at before anything runs.',
    fix: 'Correct what the message names. A word that JSON Schema does not know is a mistake, too.',
  },
  AR516: {
    title: 'Too few seeds to decide anything',
    cause:
      'A comparison asks for more seeds than the table that it reads will hold, so its verdict will be "inconclusive" whatever comes out. `plan` and `exec` say so, and `exec` goes on.',
    fix: 'Run more seeds, or set `minSeeds` when fewer are enough for you.',
  },
  AR601: {
    title: 'Unknown command',
    cause: 'There is no such command.',
    fix: 'Run `autoresearch --help` for the list.',
  },
  AR602: {
    title: 'Unknown option',
    cause: 'The command has no such option. Nothing that is typed is ignored.',
    fix: 'Run `autoresearch COMMAND --help` for the options that it takes.',
  },
  AR603: {
    title: 'Missing argument',
    cause: 'The command or the option needs a value that was not given.',
    fix: 'Add it. `autoresearch COMMAND --help` shows the form.',
  },
  AR604: {
    title: 'Bad argument',
    cause: 'An argument was given that the command cannot use: a wrong kind of value, or one too many.',
    fix: 'Give what the message asks for. `autoresearch COMMAND --help` shows the form.',
  },
  ...answerCatalogue,
  ...jobCatalogue,
  ...reportCatalogue,
  AR701: {
    title: 'Declared, but this version cannot enforce it',
    cause:
      'The config asks for a guard, a gate, an agent or a budget that this version knows but cannot carry out yet. Running without it would break a promise.',
    fix: 'Take the setting out, or use a version that can enforce it. A `scope` holds agents in: of a stage that asks none, name what it writes under `outputs` instead.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type DiagnosticCode = keyof typeof catalogue;

export interface CatalogueEntry {
  readonly title: string;
  readonly cause: string;
  readonly fix: string;
}
