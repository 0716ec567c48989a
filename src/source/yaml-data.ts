import type { Diagnostic, TextRange } from '../model/diagnostic.js';
import { pointerLabel, pointerOf } from '../model/pointer.js';
import { maxDepth, numberProblem } from './plain-data.js';
import type { Alias, Node, Pair, Scalar, YAMLMap, Yaml, YamlDocument } from './yaml-library.js';

/** More values than any config needs; a few nested aliases can otherwise stand for more than memory holds. */
const maxAliasedValues = 1_000_000;

const coreTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Turns a parsed document into data in one pass, and finds what YAML allows but a config does not. */
export function yamlToData(
  yaml: Yaml,
  document: YamlDocument.Parsed,
  file: string,
): { readonly value: unknown; readonly diagnostics: Diagnostic[] } {
  const reader = new DataReader(yaml, file);
  return { value: reader.read(document.contents), diagnostics: reader.diagnostics };
}

interface Anchored {
  readonly value: unknown;
  readonly size: number;
}

class DataReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #anchors = new Map<string, Anchored | 'open'>();
  readonly #path: (string | number)[] = [];
  #size = 0;
  #aliased = 0;

  constructor(
    readonly yaml: Yaml,
    readonly file: string,
  ) {}

  read(node: unknown): unknown {
    const { yaml } = this;
    this.#size += 1;
    if (node === null || node === undefined) return null;
    if (yaml.isAlias(node)) return this.#alias(node);
    const anchor = (node as { anchor?: string }).anchor;
    const before = this.#size;
    if (anchor !== undefined) this.#anchors.set(anchor, 'open');
    const value = this.#node(node as Node);
    if (anchor !== undefined) this.#anchors.set(anchor, { value, size: this.#size - before + 1 });
    return value;
  }

  #node(node: Node): unknown {
    const { yaml } = this;
    if (node.tag !== undefined && !coreTags.has(node.tag))
      return this.#notData(node, `the tag ${node.tag}`, 'Remove the tag');
    if (yaml.isScalar(node)) return this.#scalar(node);
    if (this.#path.length > maxDepth) return this.#notData(node, `nested more than ${maxDepth} levels deep`);
    if (yaml.isMap(node)) return this.#map(node);
    if (yaml.isSeq(node)) return node.items.map((item, index) => this.#step(index, item));
    return null;
  }

  #scalar(node: Scalar): unknown {
    const { value, source } = node;
    if (typeof value !== 'number' || source === undefined) return value;
    if (!Number.isFinite(value)) return this.#notData(node, source, 'Write a finite number');
    const problem = Number.isSafeInteger(value) ? undefined : numberProblem(source);
    if (!problem) return value;
    const label = pointerLabel(pointerOf(...this.#path));
    return this.#mistake('AR105', `${label} is ${problem.what}`, { node, hint: problem.hint });
  }

  #map(node: YAMLMap): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const seen = new Set<string>();
    const merges: unknown[] = [];
    for (const pair of node.items) {
      const key = this.#key(pair);
      if (seen.has(key)) this.#writtenTwice(node, pair, key);
      seen.add(key);
      const value = this.#step(key, pair.value);
      if (isMergeKey(pair)) merges.push(value);
      else setOwn(result, key, value);
    }
    if (merges.length > 0) this.#merge(node, result, merges.flat());
    return result;
  }

  /** `<<: *defaults`: keys of the map itself win, then those of the earlier source. */
  #merge(node: YAMLMap, result: Record<string, unknown>, sources: readonly unknown[]): void {
    for (const source of sources) {
      if (typeof source !== 'object' || source === null || Array.isArray(source)) {
        this.#notData(node, 'a merge key "<<" whose value is not a map', 'Write "<<: *name" with the name of a map');
        continue;
      }
      for (const [key, value] of Object.entries(source)) if (!Object.hasOwn(result, key)) setOwn(result, key, value);
    }
  }

  #key(pair: Pair): string {
    const value = this.yaml.isScalar(pair.key) ? pair.key.value : pair.key;
    return value === null || value === undefined ? '' : String(value);
  }

  #step(key: string | number, node: unknown): unknown {
    this.#path.push(key);
    const value = this.read(node);
    this.#path.pop();
    return value;
  }

  #alias(node: Alias): unknown {
    const target = this.#anchors.get(node.source);
    if (target === undefined) {
      return this.#mistake('AR103', `no anchor "&${node.source}" stands before this alias`, { node });
    }
    if (target === 'open') return this.#notData(node, 'a value that contains itself');
    this.#size += target.size;
    this.#aliased += target.size;
    if (this.#aliased > maxAliasedValues) {
      if (this.#aliased - target.size > maxAliasedValues) return null;
      return this.#notData(node, `aliases that stand for more than ${maxAliasedValues} values`);
    }
    return target.value;
  }

  #writtenTwice(map: YAMLMap, pair: Pair, key: string): void {
    const first = map.items.find((other) => this.#key(other) === key)!;
    const at = (node: unknown) =>
      ({ kind: 'file', file: this.file, pointer: pointerOf(...this.#path, key), ...rangeOf(node) }) as const;
    this.diagnostics.push({
      code: 'AR108',
      message: `the key "${key}" is written twice`,
      hint: 'Keep one of the two',
      at: at(pair.key),
      related: [{ message: 'first written here', at: at(first.key) }],
    });
  }

  #notData(node: unknown, what: string, hint?: string): null {
    const label = pointerLabel(pointerOf(...this.#path)) || 'the config';
    return this.#mistake('AR105', `${label} is ${what}, not plain data`, { node, hint });
  }

  #mistake(
    code: 'AR103' | 'AR105',
    message: string,
    { node, hint }: { readonly node: unknown; readonly hint?: string | undefined },
  ): null {
    const at = { kind: 'file', file: this.file, pointer: pointerOf(...this.#path), ...rangeOf(node) } as const;
    this.diagnostics.push({ code, message, ...(hint === undefined ? {} : { hint }), at });
    return null;
  }
}

function rangeOf(node: unknown): { readonly range?: TextRange } {
  const range = (node as { range?: readonly [number, number, number] | null } | null)?.range;
  return range ? { range: { start: range[0], end: range[1] } } : {};
}

/** Only the bare word merges; `"<<"` in quotes is a key like any other. */
const isMergeKey = (pair: Pair): boolean => {
  const key = pair.key as { value?: unknown; type?: string } | null;
  return key?.value === '<<' && key.type === 'PLAIN';
};

/** Assignment would set the prototype for the key `__proto__`. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else target[key] = value;
}
