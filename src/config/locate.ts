import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Address, Diagnostic, LocatedDiagnostic, Place, TextRange } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import { type Pointer, valueAt } from '../model/pointer.js';
import { type Layer, rangeIn } from './layer.js';
import { LineIndex } from './line-index.js';
import { originOf, writtenAt } from './origin.js';

/** Looks up diagnostics in the files that a config was made from. Reads nothing until there is something to look up. */
export class Locator {
  readonly #cwd: string;
  readonly #layers: readonly Layer[];
  readonly #lines = new Map<string, LineIndex | undefined>();
  readonly #moved: ReadonlyMap<Pointer, Pointer>;

  constructor(cwd: string, layers: readonly Layer[], moved: ReadonlyMap<Pointer, Pointer> = new Map()) {
    this.#cwd = cwd;
    this.#layers = layers;
    this.#moved = moved;
  }

  /** In the order of a reader: the config itself, then its presets, each from top to bottom. */
  locate(diagnostics: readonly Diagnostic[]): LocatedDiagnostic[] {
    // What stands once in a file may be used at several places of a config, and is told once.
    const located = unique(diagnostics.map((diagnostic) => this.#locateOne(diagnostic)));
    const files = this.#layers.map(({ document }) => this.#relative(document.file)).reverse();
    const known = [...new Set([...files, ...located.flatMap(({ place }) => place?.file ?? [])])];
    const rank = ({ place }: LocatedDiagnostic): number => (place ? known.indexOf(place.file) : known.length);
    return located.sort(
      (one, other) =>
        rank(one) - rank(other) ||
        (one.place?.line ?? 0) - (other.place?.line ?? 0) ||
        (one.place?.column ?? 0) - (other.place?.column ?? 0),
    );
  }

  place(address: Address): Place | undefined {
    switch (address.kind) {
      case 'argument':
        return undefined;
      case 'file':
        return this.#placeInFile(address.file, address.range, address.pointer);
      case 'config':
        return this.#placeInConfig(address);
    }
  }

  #locateOne(diagnostic: Diagnostic): LocatedDiagnostic {
    const place = diagnostic.at && this.place(diagnostic.at);
    const relatedPlaces = diagnostic.related?.map(({ message, at }) => {
      const related = this.place(at);
      return { message, ...(related ? { place: related } : {}) };
    });
    return { ...diagnostic, ...(place ? { place } : {}), ...(relatedPlaces ? { relatedPlaces } : {}) };
  }

  /** What no layer wrote is shown at the nearest thing around it; a key that is missing at the top, as the file itself. */
  #placeInConfig(address: Extract<Address, { readonly kind: 'config' }>): Place | undefined {
    const { pointer } = address;
    if (pointer === '') {
      const file = this.#layers.findLast(({ document }) => document.file !== '--set')?.document.file;
      return file === undefined ? undefined : { file: this.#relative(file), pointer };
    }
    const origin = originOf(this.#layers, writtenAt(pointer, this.#moved));
    if (!origin) {
      const parent = pointer.slice(0, pointer.lastIndexOf('/'));
      return this.#placeInConfig({ kind: 'config', pointer: parent, key: true });
    }
    const { document } = origin.layer;
    const whole = rangeIn(document, origin.pointer, address.key ? 'key' : 'value');
    const range =
      whole && address.within ? partOf(document, { pointer: origin.pointer, whole, within: address.within }) : whole;
    return this.#placeInFile(document.file, range, origin.pointer);
  }

  #placeInFile(file: string, range: TextRange | undefined, pointer: Pointer | undefined): Place {
    const where = range && this.#linesOf(file)?.place(range);
    return { file: this.#relative(file), ...(pointer === undefined ? {} : { pointer }), ...where };
  }

  #linesOf(file: string): LineIndex | undefined {
    if (!this.#lines.has(file)) {
      const known = this.#layers.find(({ document }) => document.file === file)?.document.text;
      const text = known ?? readText(file);
      this.#lines.set(file, text === undefined ? undefined : new LineIndex(text));
    }
    return this.#lines.get(file);
  }

  #relative(file: string): string {
    return file === '--set' ? file : relative(this.#cwd, file);
  }
}

const unique = (all: readonly LocatedDiagnostic[]): LocatedDiagnostic[] => [
  ...new Map(
    all.map((one, index) => [
      one.place?.line === undefined
        ? index
        : JSON.stringify([one.code, one.message, one.place.file, one.place.line, one.place.column]),
      one,
    ]),
  ).values(),
];

/**
 * The part of a string in its source. Where the source spells the string otherwise (escapes, indented blocks), the part
 * is looked for by itself; it counts as found when both hold it equally often.
 */
function partOf(
  document: Document,
  {
    pointer,
    whole,
    within: [start, end],
  }: { readonly pointer: Pointer; readonly whole: TextRange; readonly within: readonly [number, number] },
): TextRange {
  const value = valueAt(document.value, pointer);
  if (typeof value !== 'string') return whole;
  const source = document.text.slice(whole.start, whole.end);
  const verbatim = source.indexOf(value);
  if (verbatim >= 0) return { start: whole.start + verbatim + start, end: whole.start + verbatim + end };
  const part = value.slice(start, end);
  const inValue = positionsOf(part, value);
  const inSource = positionsOf(part, source);
  const found = inSource[inValue.indexOf(start)];
  if (part === '' || found === undefined || inSource.length !== inValue.length) return whole;
  return { start: whole.start + found, end: whole.start + found + part.length };
}

function positionsOf(part: string, text: string): number[] {
  const positions: number[] = [];
  for (let at = text.indexOf(part); at >= 0 && part !== ''; at = text.indexOf(part, at + 1)) positions.push(at);
  return positions;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
