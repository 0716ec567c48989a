import type { Diagnostic } from '../model/diagnostic.js';
import { type Pointer, pointerLabel, pointerOf } from '../model/pointer.js';
import { didYouMean } from '../source/did-you-mean.js';
import { type ConfigMap, isMap } from './merge.js';
import type { Vars } from './param-values.js';

export interface FilledSettings {
  readonly value: ConfigMap;
  /** Variables that are not there, or stand where none can. */
  readonly unknown: readonly { readonly name: string; readonly diagnostic: Diagnostic }[];
  /** The variables that settings use, and where. */
  readonly used: ReadonlyMap<string, readonly Pointer[]>;
  /** Where a value stands that a variable gave, or that such values pushed along: a pointer into what was written. */
  readonly moved: ReadonlyMap<Pointer, Pointer>;
}

/**
 * A setting is what no template can stand in because the schema asks for a number, a name or a list: limits of agents,
 * tries, gates, protected files … One that is nothing but `"{{vars.NAME}}"` is that variable, of whatever type. In a list
 * such an entry may be a list itself, and its entries take its place.
 */
export function fillSettings(value: ConfigMap): FilledSettings {
  const filler = new Filler(isMap(value.vars) ? value.vars : {});
  // To know of every value where it stands takes three times as long as to look for what could be filled in.
  if (!mayNameVars(value)) return { value, ...filler.found };
  return { value: filler.fill(value, []) as ConfigMap, ...filler.found };
}

function mayNameVars(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (Array.isArray(value)) return value.some(mayNameVars);
  if (!isMap(value)) return false;
  for (const key in value) if (mayNameVars(value[key])) return true;
  return false;
}

const whole = /^\{\{\s*vars\.([A-Za-z_]\w*)\s*\}\}$/;
/** Shell text is only taken raw where that is said, as everywhere. */
const raw = /^\{\{\{\s*vars\.([A-Za-z_]\w*)\s*\}\}\}$/;

type Path = readonly string[];

class Filler {
  readonly #vars: Vars;
  readonly found = {
    unknown: [] as { name: string; diagnostic: Diagnostic }[],
    used: new Map<string, Pointer[]>(),
    moved: new Map<Pointer, Pointer>(),
  };

  constructor(vars: Vars) {
    this.#vars = vars;
  }

  fill(value: unknown, path: Path): unknown {
    const form = formOf(path);
    if (form === undefined) return value;
    if (typeof value === 'string') return this.#text(value, path, form);
    if (Array.isArray(value)) return value.some(isTemplate) ? this.#list(value, path, form) : this.#each(value, path);
    return isMap(value) ? this.#map(value, path) : value;
  }

  /** The same object where nothing was filled in, so that most is not copied. */
  #map(value: ConfigMap, path: Path): ConfigMap {
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      const filled = this.fill(value[key], [...path, key]);
      if (filled === value[key]) continue;
      copy ??= { ...value };
      copy[key] = filled;
    }
    return copy ?? value;
  }

  #each(value: readonly unknown[], path: Path): readonly unknown[] {
    const filled = value.map((item, index) => this.fill(item, [...path, String(index)]));
    return filled.some((item, index) => item !== value[index]) ? filled : value;
  }

  #text(value: string, path: Path, form: Form): unknown {
    const name = nameIn(value, form, path);
    if (name === undefined) this.#checkPlain(value, path);
    if (name === undefined || !this.#knows(name, path)) return value;
    this.found.moved.set(pointerOf(...path), pointerOf('vars', name));
    return this.#vars[name];
  }

  #list(value: readonly unknown[], path: Path, form: Form): readonly unknown[] {
    const filled: unknown[] = [];
    for (const [index, item] of value.entries()) {
      const from = [...path, String(index)];
      const name = typeof item === 'string' ? nameIn(item, form, from) : undefined;
      const given = name !== undefined && this.#knows(name, from) ? this.#vars[name] : undefined;
      if (!Array.isArray(given)) {
        const to = pointerOf(...path, filled.length);
        if (to !== pointerOf(...from)) this.found.moved.set(to, pointerOf(...from));
        // Texts that are templates are filled in later, when all names are known.
        filled.push(form === 'list' ? item : this.fill(item, from));
        continue;
      }
      for (const [part, each] of given.entries()) {
        this.found.moved.set(pointerOf(...path, filled.length), pointerOf('vars', name!, part));
        filled.push(each);
      }
    }
    return filled;
  }

  /** Elsewhere templates are filled in later; here one would stay as it is. */
  #checkPlain(value: string, path: Path): void {
    const name = /\{\{\{?\s*vars\.([A-Za-z_]\w*)/.exec(value)?.[1];
    if (name === undefined || filledLater.has(path[0] ?? '')) return;
    const form = isCommand(path) ? `{{{vars.${name}}}}` : `{{vars.${name}}}`;
    const diagnostic: Diagnostic = {
      code: 'AR407',
      message: `a variable cannot be a part of ${pointerLabel(pointerOf(...path))}`,
      at: { kind: 'config', pointer: pointerOf(...path) },
      hint: `Write "${form}" and nothing else, and the whole value in the variable`,
    };
    this.found.unknown.push({ name, diagnostic });
  }

  #knows(name: string, path: Path): boolean {
    const places = this.found.used.get(name) ?? [];
    this.found.used.set(name, [...places, pointerOf(...path)]);
    if (Object.hasOwn(this.#vars, name)) return true;
    const hint = didYouMean(name, Object.keys(this.#vars));
    const diagnostic: Diagnostic = {
      code: 'AR402',
      message: `there is no variable "${name}"`,
      ...(hint === undefined ? {} : { hint }),
      at: { kind: 'config', pointer: pointerOf(...path) },
    };
    this.found.unknown.push({ name, diagnostic });
    return false;
  }
}

const isTemplate = (value: unknown): boolean => typeof value === 'string' && (whole.test(value) || raw.test(value));

const nameIn = (value: string, form: Form, path: Path): string | undefined =>
  (form === 'setting' && isCommand(path) ? raw : whole).exec(value)?.[1];

/** `list`: texts that are templates themselves, but the list as a whole is not. */
type Form = 'setting' | 'list';

const filledLater = new Set(['stages', 'clusters', 'parity']);
const listsOfStage = new Set(['inputs', 'outputs', 'scope', 'needs']);
const templatesOfStage = new Set([
  'uses',
  'with',
  'schema',
  'when',
  'matrix',
  'timeout',
  'idle',
  'env',
  'cwd',
  'commit',
]);

function formOf(path: Path): Form | undefined {
  const [top, , key, part, ...rest] = path;
  if (top === 'vars' || top === 'name' || top === 'notify') return undefined;
  if (top === 'clusters') return part === undefined && !clusterCommands.has(key ?? '') ? 'setting' : undefined;
  if (top !== 'stages' || key === undefined) return 'setting';
  if (templatesOfStage.has(key)) return undefined;
  if (listsOfStage.has(key)) return 'list';
  if (key === 'gate' && (part === 'evidence' || part === 'criteria')) return 'list';
  // Commands of gates and of menders are shell text with templates in it.
  return rest.at(-1) === 'command' || (key === 'retry' && part === 'fix' && rest.length > 0) ? undefined : 'setting';
}

const clusterCommands = new Set(['submit', 'id', 'find', 'state', 'states', 'logs', 'cancel']);

const isCommand = ([top, , key, , last]: Path): boolean =>
  (top === 'agents' && key === 'run') || (top === 'parity' && last === 'run');
