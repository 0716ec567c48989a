import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Address, Diagnostic } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import { isJsonObject } from '../model/json.js';
import { pointerOf } from '../model/pointer.js';
import type { Result } from '../model/result.js';
import type { Door } from '../source/module-loader.js';
import { showValue } from '../source/schema/schema-words.js';
import type { FoundConfig } from './find.js';
import { addressIn, type Layer } from './layer.js';
import { presetParts } from './preset-parts.js';
import { type PresetPath, type PresetPlaces, presetPath } from './preset-path.js';
import { readDocument } from './read.js';

export interface LayersContext extends PresetPlaces {
  readonly door: Door;
}

export interface LoadedLayers {
  /** Lowest first: what a file extends comes before it, in the order written, and later ones win. */
  readonly layers: readonly Layer[];
  readonly diagnostics: readonly Diagnostic[];
  /** What is wrong in layers that could be read all the same: the rest can be looked at, and nothing may run. */
  readonly mistakes: readonly Diagnostic[];
}

/** Reads a config and everything it extends. A preset that is reached twice is a layer twice. */
export async function loadLayers(config: FoundConfig, context: LayersContext): Promise<LoadedLayers> {
  const loading = new LayerLoading(context, dirname(config.file));
  const name = relative(context.cwd, config.file);
  await loading.add({ name, file: config.file }, [], config.text);
  return loading;
}

class LayerLoading implements LoadedLayers {
  readonly layers: Layer[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly mistakes: Diagnostic[] = [];
  readonly #documents = new Map<string, Document | undefined>();
  readonly #context: LayersContext;
  readonly #root: string;

  constructor(context: LayersContext, root: string) {
    this.#context = context;
    this.#root = root;
  }

  /** `entry` is what in the study leads to a preset; the study itself has none. */
  async add(path: PresetPath, chain: readonly PresetPath[], text?: string, entry?: Address): Promise<void> {
    const document = await this.#read(path, text);
    if (!document) return;
    const { value } = document;
    if (!isJsonObject(value)) {
      const message = `a config must be a map, but this is ${value === null ? 'empty' : showValue(value)}`;
      this.diagnostics.push({ code: 'AR203', message, at: addressIn(document, '') });
      return;
    }
    const { extends: entries, ...own } = value;
    if (entries !== undefined) await this.#extend(document, entries, { chain: [...chain, path], entry });
    const layer = { name: path.name, document, value: entries === undefined ? value : own };
    this.layers.push(entry ? await this.#preset(layer, entry) : layer);
  }

  async #preset(layer: Layer, entry: Address): Promise<Layer> {
    const { parts, value, diagnostics } = await presetParts(layer.document, layer.value);
    this.diagnostics.push(...diagnostics.filter((one) => !this.diagnostics.some((said) => isSame(said, one))));
    const here = (part: Part): Part => seenFrom(this.#root, dirname(layer.document.file), part);
    const variants = parts.variants && mapValues(parts.variants, (values) => mapValues(values, here));
    return { ...layer, ...parts, ...(variants ? { variants } : {}), value: here(value), entry };
  }

  async #extend(
    document: Document,
    entries: unknown,
    { chain, entry: first }: { readonly chain: readonly PresetPath[]; readonly entry: Address | undefined },
  ): Promise<void> {
    if (!Array.isArray(entries)) {
      const message = `extends must be a list of text, but is ${showValue(entries)}`;
      const hint = typeof entries === 'string' ? `Write [${JSON.stringify(entries)}]` : undefined;
      this.#complain(document, '/extends', { code: 'AR203', message, ...(hint === undefined ? {} : { hint }) });
      return;
    }
    for (const [index, entry] of entries.entries()) {
      const pointer = pointerOf('extends', index);
      if (typeof entry !== 'string' || entry === '') {
        const message = `extends[${index}] must be text that is not empty, but is ${showValue(entry)}`;
        this.#complain(document, pointer, { code: 'AR203', message });
        continue;
      }
      const path = presetPath(entry, document.file, this.#context);
      if (!path.ok) this.#complain(document, pointer, { code: 'AR106', ...path.error });
      else if (chain.some(({ file }) => file === path.value.file))
        this.#complainOfCircle(document, pointer, [...chain, path.value]);
      else await this.add(path.value, chain, undefined, first ?? addressIn(document, pointer));
    }
  }

  /** Each file is read once, so that its mistakes are told once. */
  async #read({ file }: PresetPath, text?: string): Promise<Document | undefined> {
    if (!this.#documents.has(file)) {
      const result = await this.#readOnce(file, text);
      this.#documents.set(file, result.ok ? result.value : undefined);
      if (result.ok) this.mistakes.push(...(result.value.mistakes ?? []));
      else this.diagnostics.push(...result.error);
    }
    return this.#documents.get(file);
  }

  async #readOnce(file: string, text?: string): Promise<Result<Document, Diagnostic[]>> {
    try {
      return await readDocument(file, text ?? readFileSync(file, 'utf8'), this.#context.door);
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      const message = `cannot read the file: ${error.message.split(',')[0]}`;
      return { ok: false, error: [{ code: 'AR106', message, at: { kind: 'file', file } }] };
    }
  }

  #complain(document: Document, pointer: string, diagnostic: Diagnostic): void {
    this.diagnostics.push({ ...diagnostic, at: addressIn(document, pointer) });
  }

  #complainOfCircle(document: Document, pointer: string, chain: readonly PresetPath[]): void {
    const last = chain.at(-1)!;
    const circle = chain.slice(chain.findIndex(({ file }) => file === last.file)).map(({ name }) => name);
    const message = `presets extend each other in a circle: ${circle.join(' → ')}`;
    this.#complain(document, pointer, { code: 'AR107', message, hint: 'Take out one of these entries' });
  }
}

type Part = { readonly [key: string]: unknown };

/** A behaviour that a preset brings along lies beside the preset, whoever extends it; a config knows only paths of its own. */
function seenFrom(root: string, folder: string, preset: Part): Part {
  const { stages } = preset;
  if (!isJsonObject(stages)) return preset;
  const moved = Object.entries(stages).map(([name, stage]) => {
    if (!isJsonObject(stage) || typeof stage.uses !== 'string' || !/^\.\.?\//.test(stage.uses)) return [name, stage];
    const path = relative(root, resolve(folder, stage.uses));
    return [name, { ...stage, uses: path.startsWith('..') ? path : `./${path}` }];
  });
  return { ...preset, stages: Object.fromEntries(moved) };
}

/** A preset that is reached twice has its mistakes once. */
const isSame = (one: Diagnostic, other: Diagnostic): boolean => JSON.stringify(one) === JSON.stringify(other);

const mapValues = <T>(map: { readonly [key: string]: T }, change: (value: T) => T): { readonly [key: string]: T } =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
