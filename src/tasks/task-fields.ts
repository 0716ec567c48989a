import type { MustHaves } from '../model/agents/must-haves.js';
import { noMustHaves, readMustHaves } from './must-haves.js';
import type { Span, Worded } from './task-list.js';
import { taskPath } from './task-path.js';
import { type At, isFields, kindOf, type Vocabulary, type YamlFields } from './yaml-fields.js';

/** Which words a task may have in YAML; a plan has a few more. */
export const taskWords: Vocabulary = {
  fields: {
    id: ['id'],
    title: ['title'],
    name: ['name'],
    description: ['description', 'desc', 'details', 'action'],
    dependsOn: ['depends_on', 'dependsOn', 'depends-on', 'deps', 'dependencies', 'needs', 'requires', 'after'],
    files: ['files', 'files_modified', 'filesModified', 'files-modified', 'file'],
    verify: ['verify', 'verification'],
    mustHaves: ['must_haves', 'mustHaves', 'must-haves'],
    wave: ['wave'],
    autonomous: ['autonomous'],
  },
  passedOver: ['type', 'tags', 'notes'],
  decisive: ['dependsOn', 'files', 'wave', 'verify', 'mustHaves'],
};

/** The words by which people say that others wait for this task; read as nothing, the order would be lost. */
const reversed = ['blocks', 'before'];

export interface SharedFields {
  readonly dependsOn: readonly Worded[] | undefined;
  readonly files: readonly Worded[];
  readonly verify: readonly string[];
  readonly mustHaves: MustHaves;
  readonly wave: number | undefined;
  readonly waveAt: Span | undefined;
  readonly autonomous: boolean | undefined;
}

/** What both forms say in the same way. */
export function readSharedFields(yaml: YamlFields, found: ReadonlyMap<string, At>): SharedFields {
  const [dependsOn, mustHaves, wave] = [found.get('dependsOn'), found.get('mustHaves'), found.get('wave')];
  return {
    dependsOn: dependsOn && yaml.texts(dependsOn, 'depends_on'),
    files: readFiles(yaml, found.get('files')),
    verify: readVerify(yaml, found.get('verify')),
    mustHaves: mustHaves ? readMustHaves(yaml, mustHaves) : noMustHaves,
    wave: wave && readWave(yaml, wave),
    waveAt: wave && yaml.span(wave.pointer),
    autonomous: readAutonomous(yaml, found.get('autonomous')),
  };
}

export function complainOfReversed(yaml: YamlFields, { value, pointer }: At): void {
  for (const word of reversed) {
    if (!isFields(value) || !Object.hasOwn(value, word)) continue;
    const hint = 'Write "depends_on" in the task that has to wait';
    yaml.problems.error(`"${word}" is not read`, yaml.span(`${pointer}/${word}`, 'key'), hint);
  }
}

export const withReversed = (words: Vocabulary): Vocabulary => ({
  ...words,
  passedOver: [...words.passedOver, ...reversed],
});

function readFiles(yaml: YamlFields, at: At | undefined): readonly Worded[] {
  if (at === undefined) return [];
  const files: Worded[] = [];
  for (const item of yaml.items(at)) {
    const entry = isFields(item.value) ? { value: item.value.path, pointer: `${item.pointer}/path` } : item;
    const text = yaml.text(entry);
    const span = yaml.span(entry.pointer);
    if (!text) yaml.problems.error(`files must be a list of paths, not of ${kindOf(item.value)}`, span);
    // A list that somebody wrote into one text.
    else
      for (const path of Array.isArray(at.value) ? [text] : splitPaths(text))
        addPath(yaml, files, { text: path, at: span });
  }
  return files;
}

function addPath(yaml: YamlFields, files: Worded[], { text, at }: Worded): void {
  const read = taskPath(text);
  if ('wrong' in read) yaml.problems.error(read.wrong, at, 'Name files below the project folder, relative to it');
  else if (!files.some((file) => file.text === read.path)) files.push({ text: read.path, at });
}

/** At commas and line ends, but not at the commas of `{a,b}`. */
export function splitPaths(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text[at] ?? '\n';
    if (character === '{') depth += 1;
    else if (character === '}') depth = Math.max(0, depth - 1);
    if (character !== '\n' && (character !== ',' || depth > 0)) continue;
    parts.push(text.slice(from, at).trim());
    from = at + 1;
    if (character === '\n') depth = 0;
  }
  return parts.filter((part) => part !== '');
}

function readVerify(yaml: YamlFields, at: At | undefined): readonly string[] {
  if (at === undefined) return [];
  return yaml.items(at).flatMap((item) => {
    const command = isFields(item.value) ? commandOf(item.value, item.pointer) : item;
    const text = command && yaml.text(command);
    if (text) return [text];
    yaml.problems.error(`verify must be a list of commands, not of ${kindOf(item.value)}`, yaml.span(item.pointer));
    return [];
  });
}

function commandOf(map: { readonly [key: string]: unknown }, pointer: string): At | undefined {
  const key = ['run', 'command', 'cmd', 'automated'].find((name) => Object.hasOwn(map, name));
  return key === undefined ? undefined : { value: map[key], pointer: `${pointer}/${key}` };
}

function readWave(yaml: YamlFields, at: At): number | undefined {
  const wave = typeof at.value === 'string' && /^\d{1,9}$/.test(at.value) ? Number(at.value) : at.value;
  if (Number.isSafeInteger(wave) && (wave as number) >= 0) return wave as number;
  yaml.problems.error(`wave must be a whole number from 0, not ${kindOf(at.value)}`, yaml.span(at.pointer));
  return undefined;
}

function readAutonomous(yaml: YamlFields, at: At | undefined): boolean | undefined {
  if (at === undefined) return undefined;
  const word = String(at.value).toLowerCase();
  if (['true', 'yes'].includes(word)) return true;
  if (['false', 'no'].includes(word)) return false;
  yaml.problems.error(`autonomous must be true or false, not ${kindOf(at.value)}`, yaml.span(at.pointer));
  return undefined;
}

/** Ids become names of files and branches. */
export function idProblem(id: string): string | undefined {
  if (/[/\\\u0000-\u001f]/.test(id)) return 'holds a character that no file name may have';
  if (id.startsWith('.') || id.startsWith('-')) return `begins with "${id[0]}"`;
  return id.length > 100 ? 'is longer than 100 characters' : undefined;
}
