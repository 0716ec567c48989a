import type { Diagnostic } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import { type Pointer, pointerOf } from '../model/pointer.js';
import { nearest } from '../source/did-you-mean.js';
import { readYaml } from '../source/yaml.js';
import type { ProblemList } from './problem-list.js';
import type { Span, Worded } from './task-list.js';

export type Fields = { readonly [key: string]: unknown };

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value in the file: what it is, and where. */
export interface At {
  readonly value: unknown;
  readonly pointer: Pointer;
}

export interface Vocabulary {
  /** Each field, and the words that mean the same. The first is ours. */
  readonly fields: { readonly [field: string]: readonly string[] };
  /** Words that others use, and that say nothing about what is to be done. */
  readonly passedOver: readonly string[];
  /** Fields that decide about order and scope: to overlook one because of a slip would change what happens. */
  readonly decisive: readonly string[];
}

/** Reads YAML, or the YAML part of a text, so that every value can be asked for its place in the whole. */
export async function openYaml(
  problems: ProblemList,
  { text, base }: { readonly text: string; readonly base: number },
): Promise<YamlFields | undefined> {
  // The parser takes the mark for a column, so that the first line would seem to be indented.
  const mark = text.startsWith('\uFEFF') ? 1 : 0;
  const read = await readYaml(problems.file, text.slice(mark));
  if (read.ok) return new YamlFields(read.value, problems, base + mark);
  for (const diagnostic of read.error) report(problems, diagnostic, base + mark);
  return undefined;
}

function report(problems: ProblemList, { message, hint, at }: Diagnostic, base: number): void {
  const range = (at?.kind === 'file' ? at.range : undefined) ?? { start: 0, end: 0 };
  const span = problems.span(base + range.start, base + range.end);
  problems.error(
    message.replace(/^the config is/, 'the file is'),
    span,
    hint?.replace(': a config holds', ': tasks are'),
  );
}

export class YamlFields {
  /** Where each list and map stands itself: to find a place through an alias takes a walk through the whole file. */
  readonly #homes: ReadonlyMap<unknown, Pointer>;

  constructor(
    readonly document: Document,
    readonly problems: ProblemList,
    readonly base: number,
  ) {
    this.#homes = homesOf(document.value);
  }

  span(pointer: Pointer, what: 'key' | 'value' = 'value'): Span {
    const range = this.#range(pointer, what);
    return this.problems.span(this.base + range.start, this.base + range.end);
  }

  /** Text as it was written, so that the id 01 stays `01` and 1.10 does not become 1.1. */
  text({ value, pointer }: At): string | undefined {
    if (typeof value === 'string') return value.trim();
    if (typeof value !== 'number') return undefined;
    const { start, end } = this.#range(pointer, 'value');
    const source = this.document.text.slice(start, end);
    return Number(source) === value ? source : String(value);
  }

  /** A list of texts; one text stands for a list of one. */
  texts(at: At, what: string): readonly Worded[] {
    if (at.value === null || at.value === undefined) return [];
    if (isFields(at.value)) {
      this.problems.error(`${what} must be a list of texts, not a map`, this.span(at.pointer));
      return [];
    }
    return this.items(at).flatMap((item) => {
      const text = this.text(item);
      if (text) return [{ text, at: this.span(item.pointer) }];
      this.problems.error(`${what} must be a list of texts, not of ${kindOf(item.value)}`, this.span(item.pointer));
      return [];
    });
  }

  items({ value, pointer }: At): readonly At[] {
    if (!Array.isArray(value)) return value === null || value === undefined ? [] : [{ value, pointer }];
    const home = this.home(value, pointer);
    return value.map((item, index) => ({ value: item, pointer: this.home(item, `${home}/${index}`) }));
  }

  home(value: unknown, pointer: Pointer): Pointer {
    return this.#homes.get(value) ?? pointer;
  }

  /** The fields of a map under our names; complains about what it does not know and what is said twice. */
  fields(map: Fields, pointer: Pointer, { fields, passedOver, decisive }: Vocabulary): ReadonlyMap<string, At> {
    const found = new Map<string, At & { readonly word: string }>();
    const words = Object.values(fields).flat();
    for (const [word, value] of Object.entries(map)) {
      const here = this.home(value, pointer + pointerOf(word));
      const field = Object.keys(fields).find((name) => fields[name]!.includes(word));
      const before = field === undefined ? undefined : found.get(field);
      if (before) {
        const message = `"${before.word}" and "${word}" mean the same, and both are written`;
        this.problems.error(message, this.span(pointer + pointerOf(word), 'key'), 'Keep one of the two');
      } else if (field !== undefined) found.set(field, { value, pointer: here, word });
      else if (!passedOver.includes(word)) {
        const near = nearest(word, words);
        const nearField = Object.keys(fields).find((name) => near !== undefined && fields[name]!.includes(near));
        const isGrave = nearField !== undefined && decisive.includes(nearField);
        const hint = near === undefined ? undefined : `Did you mean "${near}"?`;
        this.problems[isGrave ? 'error' : 'warning'](
          `unknown key "${word}"`,
          this.span(pointer + pointerOf(word), 'key'),
          hint,
        );
      }
    }
    return found;
  }

  #range(pointer: Pointer, what: 'key' | 'value'): { readonly start: number; readonly end: number } {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const range = this.document.locate(at, what) ?? this.document.locate(at, what === 'key' ? 'value' : 'key');
      if (range || at === '') return range ?? { start: 0, end: 0 };
    }
  }
}

/** Anchors stand before their aliases, so the first place of a value is its own. */
function homesOf(document: unknown): ReadonlyMap<unknown, Pointer> {
  const homes = new Map<unknown, Pointer>();
  const visit = (value: unknown, pointer: Pointer): void => {
    if (typeof value !== 'object' || value === null || homes.has(value)) return;
    homes.set(value, pointer);
    for (const [key, item] of Object.entries(value)) visit(item, pointer + pointerOf(key));
  };
  visit(document, '');
  return homes;
}

/** `a map`, `a list`, `text` …: what stands there instead of what should. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'string') return 'text';
  return `${value}`;
}
