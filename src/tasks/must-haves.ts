import type { Artifact, KeyLink, MustHaves } from '../model/agents/must-haves.js';
import { taskPath } from './task-path.js';
import { type At, type Fields, isFields, kindOf, type Vocabulary, type YamlFields } from './yaml-fields.js';

const parts: Vocabulary = {
  fields: { truths: ['truths'], artifacts: ['artifacts'], keyLinks: ['key_links', 'keyLinks', 'key-links'] },
  passedOver: [],
  decisive: ['truths', 'artifacts', 'keyLinks'],
};
const artifactWords: Vocabulary = {
  fields: {
    path: ['path', 'file'],
    provides: ['provides', 'description'],
    contains: ['contains'],
    exports: ['exports'],
    minLines: ['min_lines', 'minLines'],
  },
  passedOver: ['status'],
  decisive: ['contains', 'exports', 'minLines'],
};
const linkWords: Vocabulary = {
  fields: { from: ['from'], to: ['to'], via: ['via'], pattern: ['pattern'] },
  passedOver: ['status'],
  decisive: ['pattern'],
};

/** `must_haves`: a map of three lists, or a list of sentences, or one sentence. */
export function readMustHaves(yaml: YamlFields, at: At | undefined): MustHaves {
  if (at === undefined || !isFields(at.value)) return { ...noMustHaves, truths: truthsOf(yaml, at) };
  const found = yaml.fields(at.value, at.pointer, parts);
  const truths = [...truthsOf(yaml, found.get('truths'))];
  const artifacts: Artifact[] = [];
  const keyLinks: KeyLink[] = [];
  for (const item of itemsOf(yaml, found.get('artifacts'))) {
    const artifact = readArtifact(yaml, item);
    if (typeof artifact === 'string') truths.push(artifact);
    else if (artifact) artifacts.push(artifact);
  }
  for (const item of itemsOf(yaml, found.get('keyLinks'))) {
    const link = readLink(yaml, item);
    if (typeof link === 'string') truths.push(link);
    else if (link) keyLinks.push(link);
  }
  return { truths, artifacts, keyLinks };
}

export const noMustHaves: MustHaves = { truths: [], artifacts: [], keyLinks: [] };

const truthsOf = (yaml: YamlFields, at: At | undefined): readonly string[] =>
  at === undefined ? [] : yaml.texts(at, 'must_haves').map(({ text }) => text);

const itemsOf = (yaml: YamlFields, at: At | undefined): readonly At[] => (at === undefined ? [] : yaml.items(at));

/** An artifact; a sentence about one, which only a reader can judge; or nothing, with a complaint. */
function readArtifact(yaml: YamlFields, item: At): Artifact | string | undefined {
  const sentence = yaml.text(item);
  if (sentence && /\s/.test(sentence)) return sentence;
  if (sentence) return withPath(yaml, item, sentence);
  if (!isFields(item.value))
    return complain(yaml, item, `an artifact must be a path or a map, not ${kindOf(item.value)}`);
  const found = yaml.fields(item.value, item.pointer, artifactWords);
  const path = textOf(yaml, found, 'path');
  if (path === undefined) return complain(yaml, item, 'an artifact has no path');
  const artifact = withPath(yaml, found.get('path')!, path);
  const minLines = found.get('minLines');
  if (minLines && !(Number.isSafeInteger(minLines.value) && (minLines.value as number) >= 0))
    return complain(yaml, minLines, '"min_lines" must be a whole number');
  const exported = found.get('exports');
  return (
    artifact && {
      ...artifact,
      ...optional(yaml, found, ['provides', 'contains']),
      ...(exported ? { exports: yaml.texts(exported, 'exports').map(({ text }) => text) } : {}),
      ...(minLines ? { minLines: minLines.value as number } : {}),
    }
  );
}

function withPath(yaml: YamlFields, at: At, written: string): Artifact | undefined {
  const read = taskPath(written);
  return 'path' in read ? { path: read.path } : complain(yaml, at, read.wrong);
}

function readLink(yaml: YamlFields, item: At): KeyLink | string | undefined {
  const sentence = yaml.text(item);
  if (sentence) return sentence;
  if (!isFields(item.value)) return complain(yaml, item, `a key link must be a map, not ${kindOf(item.value)}`);
  const found = yaml.fields(item.value, item.pointer, linkWords);
  const [from, to] = [textOf(yaml, found, 'from'), textOf(yaml, found, 'to')];
  if (from === undefined) return complain(yaml, item, 'a key link has no "from"');
  if (to === undefined) return complain(yaml, item, 'a key link has no "to"');
  return { from, to, ...optional(yaml, found, ['via', 'pattern']) };
}

const textOf = (yaml: YamlFields, found: ReadonlyMap<string, At>, name: string): string | undefined =>
  (found.has(name) && yaml.text(found.get(name)!)) || undefined;

function optional(yaml: YamlFields, found: ReadonlyMap<string, At>, names: readonly string[]): Fields {
  return Object.fromEntries(
    names.flatMap((name) => {
      const at = found.get(name);
      const text = at && yaml.text(at);
      if (at && !text) complain(yaml, at, `"${name}" must be text, not ${kindOf(at.value)}`);
      return text ? [[name, text]] : [];
    }),
  );
}

function complain(yaml: YamlFields, at: At, message: string): undefined {
  yaml.problems.error(message, yaml.span(at.pointer));
}
