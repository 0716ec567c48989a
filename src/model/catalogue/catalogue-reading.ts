import { presetCatalogue } from './catalogue-presets.js';

/** What keeps a config from being read and put together. */
export const readingCatalogue = {
  AR101: {
    title: 'No config found',
    cause: 'No config was found in the folder, in the folders above it, or where `--config` points.',
    fix: 'Run `autoresearch init` to make one, go to the project folder, or name the file with `--config FILE`.',
  },
  AR102: {
    title: 'Two configs in one folder',
    cause:
      'The folder holds more than one file that could be the config, and choosing one silently might run the wrong study.',
    fix: 'Keep one of them, or name the one you mean with `--config FILE`.',
  },
  AR103: {
    title: 'A file has a syntax error',
    cause: 'The file cannot be read as the language that its name says: YAML, JSON or TypeScript.',
    fix: 'Mend the text at the underlined place. An editor with support for the language shows the same mistake.',
  },
  AR104: {
    title: 'A config could not be evaluated',
    cause: 'The config is a program, and it threw an error or imported a file that is not there while it was loaded.',
    fix: 'Read the error in the message. The config must load by itself, without network and without waiting for anything.',
  },
  AR105: {
    title: 'A config holds something that is not data',
    cause:
      'A config is data that can be printed, hashed and compared. Functions, dates, class instances, NaN and circles are not data.',
    fix: 'Write a string, number, true, false, list or map instead. Code belongs into a behaviour that a stage `uses`.',
  },
  AR106: {
    title: 'A preset was not found',
    cause: 'An entry of `extends` names a preset that is not built in, not at that path and not an installed package.',
    fix: 'Check the spelling, begin a path with `./`, or install the package. `autoresearch presets list` shows the built-in ones.',
  },
  AR107: {
    title: 'Presets extend each other in a circle',
    cause: 'A preset extends itself, directly or through others, so no layer is the lowest.',
    fix: 'Take out one `extends` entry of the circle that the message prints.',
  },
  AR108: {
    title: 'A key is written twice',
    cause:
      'The same key stands twice in one map. Most readers would keep one of the two and drop the other in silence.',
    fix: 'Keep one of the two, or give one another name.',
  },
  AR109: {
    title: 'Layers cannot be merged',
    cause: '`null` takes away something that no layer below has, or `$append` adds to what is not a list there.',
    fix: 'Correct the name, or write the value itself: a plain list replaces one, and what is not there needs no `null`.',
  },
  AR110: {
    title: 'A config changes the environment',
    cause:
      'The config is a program, and it sets or removes environment variables. Commands would get them although nothing in the plan says so, and results would still look fresh when they change.',
    fix: 'Write them under `env` of the stages that need them, or set them in the shell before autoresearch starts.',
  },
  ...presetCatalogue,
  AR119: {
    title: 'A config is different each time',
    cause:
      'The config is a program, and what it gives depends on the time or on chance. Its plan would never be the same twice, and no result would ever hold.',
    fix: 'Write the value itself, or give it a name under `vars` and set it with `--set`. A seed belongs into the config as a number.',
  },
} as const;
