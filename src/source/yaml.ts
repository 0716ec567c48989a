import type { Diagnostic } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import { pointerPath } from '../model/pointer.js';
import { err, ok, type Result } from '../model/result.js';
import { yamlToData } from './yaml-data.js';
import { loadYaml, type Node, type Pair, type YAMLMap, type Yaml, type YamlDocument } from './yaml-library.js';

/**
 * Reads one YAML 1.2 document as plain data. Anchors, aliases and `<<` merge keys are followed; tags beyond the core
 * schema and several documents in one file are mistakes. Positions are worked out only when someone asks. `goOn`: keys that are
 * written twice are told beside the data, for whoever refuses it only after a look at the rest.
 */
export async function readYaml(
  file: string,
  text: string,
  { goOn = false }: { readonly goOn?: boolean } = {},
): Promise<Result<Document, Diagnostic[]>> {
  const yaml = await loadYaml();
  let parsed: YamlDocument.Parsed;
  try {
    parsed = parse(yaml, text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return err([{ code: 'AR103', message: 'the YAML is nested too deep', at: { kind: 'file', file } }]);
  }
  const mistakes = syntaxMistakes(parsed, file);
  if (mistakes.length > 0) return err(mistakes);
  const { value, diagnostics } = yamlToData(yaml, parsed, file);
  if (!diagnostics.every(({ code }) => goOn && code === 'AR108')) return err(diagnostics);

  // The tree of a large file is far bigger than its data, so it is dropped and made again if a place is wanted.
  let tree: YamlDocument.Parsed | undefined;
  return ok({
    file,
    text,
    value,
    ...(diagnostics.length > 0 ? { mistakes: diagnostics } : {}),
    locate(pointer, what) {
      tree ??= parse(yaml, text);
      const found = find(yaml, tree, pointerPath(pointer));
      const range = (what === 'key' ? found?.key : found?.value)?.range;
      return range ? { start: range[0], end: range[1] } : undefined;
    },
  });
}

// `uniqueKeys` compares every key of a map with every other one: 1.2 of 2.7 seconds at 10,000 stages. `yamlToData`
// finds keys that are written twice in one pass instead.
const parse = (yaml: Yaml, text: string): YamlDocument.Parsed =>
  yaml.parseDocument(text, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'error',
  });

const adviceFor: { readonly [code: string]: string } = {
  TAB_AS_INDENT: 'Indent with spaces',
  BLOCK_AS_IMPLICIT_KEY: 'Put quotes around a text that contains ": "',
  MULTILINE_IMPLICIT_KEY: 'Write each key on one line, with ":" after it',
  BAD_SCALAR_START: 'Put quotes around the text',
  MULTIPLE_DOCS: 'Keep one document in the file',
  NON_STRING_KEY: 'Put quotes around a text that starts with "{{"',
};

/** Where the library speaks to programmers, or of something else than what people mean. */
const ownWords: { readonly [code: string]: string } = {
  NON_STRING_KEY: 'a key must be text, not a map or a list',
  MULTIPLE_DOCS: 'a second document begins here',
};

function syntaxMistakes(parsed: YamlDocument.Parsed, file: string): Diagnostic[] {
  const open = parsed.errors.flatMap((error) => openQuote(parsed, error) ?? []);
  const unclosed = open.map(
    ({ quote, start }): Diagnostic => ({
      code: 'AR103',
      message: `the ${quote} that begins here is not closed`,
      hint: `End the text with ${quote}${quote === "'" ? "; inside of it, write ' twice" : ''}`,
      at: { kind: 'file', file, range: { start, end: start + 1 } },
    }),
  );
  // All that is wrong where the file ends, or the text was thought to, follows from that.
  const others = parsed.errors.filter(({ pos }) => open.every(({ end }) => pos[0] !== end));
  const mistakes: Diagnostic[] = others.map(({ code, message, pos }) => {
    const hint = adviceFor[code];
    return {
      code: 'AR103',
      message: ownWords[code] ?? lowerFirst(message.replace(/\.$/, '')),
      ...(hint === undefined ? {} : { hint }),
      at: { kind: 'file', file, range: { start: pos[0], end: pos[1] } },
    };
  });
  mistakes.unshift(...unclosed);
  for (const { message, pos } of parsed.warnings) {
    mistakes.push({
      code: 'AR105',
      message: lowerFirst(message),
      hint: 'Remove the tag: a config holds plain data',
      at: { kind: 'file', file, range: { start: pos[0], end: pos[1] } },
    });
  }
  if (mistakes.length === 0 && parsed.directives.yaml.version === '1.1') {
    mistakes.push({
      code: 'AR103',
      message: 'YAML 1.1 is not read',
      hint: 'Remove the %YAML line',
      at: { kind: 'file', file },
    });
  }
  return mistakes;
}

interface OpenQuote {
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

/** The library complains where it found no end, which is the end of the file for most; what is wrong is where the text begins. */
function openQuote(
  { contents }: YamlDocument.Parsed,
  { code, message, pos }: YamlDocument.Parsed['errors'][number],
): OpenQuote | undefined {
  const quote = code === 'MISSING_CHAR' ? /closing (['"])quote/.exec(message)?.[1] : undefined;
  const start = quote === undefined ? undefined : textEndingAt(contents, pos[0]);
  return quote === undefined || start === undefined ? undefined : { quote, start, end: pos[0] };
}

interface Tree {
  readonly range?: readonly number[] | null;
  readonly items?: readonly unknown[];
  readonly key?: unknown;
  readonly value?: unknown;
}

function textEndingAt(node: unknown, end: number): number | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  const { range, items, key, value } = node as Tree;
  for (const part of [...(items ?? []), key, value]) {
    const start = textEndingAt(part, end);
    if (start !== undefined) return start;
  }
  return items === undefined && range?.[1] === end ? range[0] : undefined;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

interface Found {
  readonly key?: Node | undefined;
  readonly value?: Node | undefined;
}

/** Follows a pointer through maps, lists, aliases and merge keys. */
function find(yaml: Yaml, tree: YamlDocument.Parsed, path: readonly string[]): Found | undefined {
  let found: Found | undefined = { value: tree.contents ?? undefined };
  for (const part of path) {
    const node = dealias(yaml, tree, found?.value);
    if (yaml.isSeq(node)) found = { value: node.items[Number(part)] as Node | undefined };
    else found = findInMap(yaml, tree, { node, part });
    if (!found?.value && !found?.key) return undefined;
  }
  return found;
}

function findInMap(
  yaml: Yaml,
  tree: YamlDocument.Parsed,
  { node, part }: { readonly node: unknown; readonly part: string },
): Found | undefined {
  if (!yaml.isMap(node)) return undefined;
  const pairs = pairsOf(yaml, node);
  const pair = pairs.get(part);
  if (pair) return { key: pair.key as Node, value: (pair.value as Node | null) ?? undefined };
  const merged = dealias(yaml, tree, pairs.get('<<')?.value);
  for (const source of yaml.isSeq(merged) ? merged.items : [merged]) {
    const found = findInMap(yaml, tree, { node: dealias(yaml, tree, source), part });
    if (found) return found;
  }
  return undefined;
}

const knownPairs = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();

/** By key, and kept: where one place is asked for there may be thousands. */
function pairsOf(yaml: Yaml, map: YAMLMap): ReadonlyMap<unknown, Pair> {
  let pairs = knownPairs.get(map);
  if (!pairs) {
    pairs = new Map(map.items.map((pair) => [yaml.isScalar(pair.key) ? pair.key.value : pair.key, pair]));
    knownPairs.set(map, pairs);
  }
  return pairs;
}

const dealias = (yaml: Yaml, tree: YamlDocument.Parsed, node: unknown): unknown =>
  yaml.isAlias(node) ? node.resolve(tree) : node;
