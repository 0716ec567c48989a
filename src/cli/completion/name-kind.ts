import type { OptionEntry } from '../line/command-entry.js';

/** Names that only the study, its runs or the package know. */
export type NameKind =
  | 'stages'
  | 'tasks'
  | 'runs'
  | 'agent-ids'
  | 'variables'
  | 'presets'
  | 'behaviours'
  | 'codes'
  | 'schemas';

/** By the word that stands for a value in the table of commands. */
const byWord: Readonly<Record<string, NameKind>> = {
  STAGE: 'stages',
  TASK: 'tasks',
  CODE: 'codes',
  'KEY=VALUE': 'variables',
};

const byOption: Readonly<Record<string, NameKind>> = { run: 'runs', 'agent-id': 'agent-ids', preset: 'presets' };

/** What NAME means to them. */
const byCommand: Readonly<Record<string, NameKind>> = {
  presets: 'presets',
  stages: 'behaviours',
  schema: 'schemas',
};

export const kindOfOption = (name: string, { value = '' }: OptionEntry): NameKind | undefined =>
  byOption[name] ?? byWord[value.replace('…', '')];

export const kindOfArgument = (command: string, words: readonly string[]): NameKind | undefined =>
  words.includes('NAME') ? byCommand[command] : byWord[words[0] ?? ''];
