import { type Pointer, pointerOf } from '../model/pointer.js';
import { nearest } from '../source/did-you-mean.js';
import type { ProblemList } from './problem-list.js';
import { complainOfReversed, idProblem, readSharedFields, taskWords, withReversed } from './task-fields.js';
import type { Span, Task, Worded } from './task-list.js';
import { type At, type Fields, isFields, kindOf, openYaml, type YamlFields } from './yaml-fields.js';

const aboutTheFile = ['$schema', 'version', 'name', 'title', 'description', 'project', 'metadata', 'phase'];
const words = withReversed(taskWords);

interface Entry extends At {
  /** The key, where tasks are a map from ids. */
  readonly key?: string;
}

/** The tasks as written; how they hang together is looked at afterwards. */
export async function readTasksYaml(problems: ProblemList): Promise<readonly Task[]> {
  const yaml = await openYaml(problems, { text: problems.text, base: 0 });
  if (!yaml) return [];
  const entries = entriesOf(yaml);
  if (entries?.length === 0) problems.error('there are no tasks', yaml.span(''), 'Write at least one task');
  return (entries ?? []).flatMap((entry) => readTask(yaml, entry) ?? []);
}

function entriesOf(yaml: YamlFields): readonly Entry[] | undefined {
  const { value } = yaml.document;
  if (value === null) return [];
  if (!isFields(value)) return listOf(yaml, { value, pointer: '' });
  if (Object.hasOwn(value, 'tasks')) {
    for (const key of Object.keys(value)) {
      if (key === 'tasks' || aboutTheFile.includes(key) || key.startsWith('x-')) continue;
      yaml.problems.warning(`unknown key "${key}"`, yaml.span(pointerOf(key), 'key'));
    }
    return listOf(yaml, { value: value.tasks, pointer: yaml.home(value.tasks, '/tasks') });
  }
  const keys = Object.keys(value);
  const slip = keys.find((key) => nearest(key, ['tasks']) !== undefined);
  if (slip !== undefined || !keys.every((key) => isFields(value[key]))) {
    const at = slip === undefined ? yaml.span('') : yaml.span(pointerOf(slip), 'key');
    yaml.problems.error('"tasks" is missing', at, slip === undefined ? undefined : 'Did you mean "tasks"?');
    return undefined;
  }
  return listOf(yaml, { value, pointer: '' });
}

function listOf(yaml: YamlFields, { value, pointer }: At): readonly Entry[] | undefined {
  if (value === null) return [];
  if (isFields(value))
    return Object.keys(value).map((key) => ({ key, value: value[key], pointer: pointer + pointerOf(key) }));
  if (Array.isArray(value)) return yaml.items({ value, pointer });
  yaml.problems.error(`the tasks must be a list, not ${kindOf(value)}`, yaml.span(pointer));
  return undefined;
}

function readTask(yaml: YamlFields, entry: Entry): Task | undefined {
  const { value, pointer } = entry;
  if (!isFields(value)) {
    yaml.problems.error(`a task must be a map, not ${kindOf(value)}`, yaml.span(pointer));
    return undefined;
  }
  complainOfReversed(yaml, entry);
  const found = yaml.fields(value, pointer, words);
  const shared = readSharedFields(yaml, found);
  const id = readId(yaml, entry, found);
  const title = plainText(yaml, found, 'title') ?? plainText(yaml, found, 'name');
  const description = plainText(yaml, found, 'description');
  if (id === undefined) return undefined;
  if (title === undefined && description === undefined)
    yaml.problems.error(`the task "${id.text}" does not say what is to be done`, id.at, 'Give it a "title"');
  const place = placeOf(yaml, entry, pointer);
  return {
    id: id.text,
    title: title ?? id.text,
    description: description ?? '',
    dependsOn: shared.dependsOn?.map(({ text }) => text) ?? [],
    files: shared.files.map(({ text }) => text),
    verify: shared.verify,
    criteria: [],
    mustHaves: shared.mustHaves,
    steps: [],
    ...(shared.wave === undefined ? {} : { wave: shared.wave }),
    autonomous: shared.autonomous ?? true,
    file: yaml.problems.file,
    place: { line: place.line, column: place.column },
    written: {
      id: id.at,
      dependsOn: shared.dependsOn,
      files: shared.files,
      wave: shared.waveAt ?? id.at,
      names: undefined,
    },
  };
}

const placeOf = (yaml: YamlFields, entry: Entry, pointer: Pointer): Span =>
  yaml.span(pointer, entry.key === undefined ? 'value' : 'key');

/** `id`, else the key of the map of tasks, else `name`. */
function readId(yaml: YamlFields, entry: Entry, found: ReadonlyMap<string, At>): Worded | undefined {
  const at = found.get('id') ?? (entry.key === undefined ? found.get('name') : undefined);
  const text = at ? yaml.text(at) : entry.key?.trim();
  const span = at ? yaml.span(at.pointer) : placeOf(yaml, entry, entry.pointer);
  if (!text) {
    if (at && at.value !== null)
      yaml.problems.error(`the id of a task must be text or a number, not ${kindOf(at.value)}`, span);
    else yaml.problems.error('a task has no id', span, 'Add an "id"');
    return undefined;
  }
  const wrong = idProblem(text);
  if (wrong === undefined) return { text, at: span };
  yaml.problems.error(`the id ${JSON.stringify(text)} ${wrong}`, span, 'Use letters, digits and "-"');
  return undefined;
}

export function plainText(yaml: YamlFields, found: ReadonlyMap<string, At>, name: string): string | undefined {
  const at = found.get(name);
  if (at === undefined || at.value === null) return undefined;
  const text = yaml.text(at);
  if (text === undefined)
    yaml.problems.error(`"${name}" must be text, not ${kindOf((at.value as Fields) ?? null)}`, yaml.span(at.pointer));
  return text || undefined;
}
