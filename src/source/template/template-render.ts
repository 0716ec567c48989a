import type { Json } from '../../model/json.js';
import type { TextProblem } from '../../model/text-problem.js';
import type { NamePath, TemplateBlock, TemplateNode } from './template-node.js';
import { isNamed, lookUp, type Named, type Scope, type TemplateNames } from './template-scope.js';

/** A rendered text before its values are put in: how depends on where each of them stands. */
export type Piece = string | ValuePiece;

export interface ValuePiece {
  readonly value: Json;
  readonly path: NamePath;
  readonly raw: boolean;
}

export function renderNodes(
  nodes: readonly TemplateNode[],
  names: TemplateNames,
): { pieces: Piece[]; problems: TextProblem[] } {
  const renderer = new Renderer();
  // How a value is reached matters only when a text is checked, and noting it takes as long as all the rest.
  renderer.nodes(nodes, { value: names as Json, path: undefined });
  return renderer;
}

class Renderer {
  readonly pieces: Piece[] = [];
  readonly problems: TextProblem[] = [];

  nodes(nodes: readonly TemplateNode[], scope: Scope): void {
    for (const node of nodes) {
      if (node.kind === 'text') {
        this.pieces.push(node.text);
      } else if (node.kind === 'block') {
        this.#block(node, scope);
      } else {
        const value = this.#find(node.path, scope)?.value;
        if (value !== undefined) this.pieces.push({ value, path: node.path, raw: node.raw });
      }
    }
  }

  #block(block: TemplateBlock, scope: Scope): void {
    const named = this.#find(block.subject, scope);
    if (named?.value === undefined) return;
    switch (block.helper) {
      case 'if':
      case 'unless':
        this.nodes(isTrue(named.value) === (block.helper === 'if') ? block.body : block.otherwise, scope);
        return;
      case 'with':
        if (isEmpty(named.value)) this.nodes(block.otherwise, scope);
        else this.nodes(block.body, { ...named, parent: scope, params: paramsOf(block, [named]) });
        return;
      case 'each':
        this.#each(block, named, scope);
    }
  }

  #each(block: TemplateBlock, { value }: Named, scope: Scope): void {
    if (typeof value !== 'object' || value === null) {
      const message = `"${block.subject.written}" is ${kindOf(value ?? null)}, so it has nothing to go through`;
      this.problems.push({ code: 'AR408', message, within: block.subject.within });
      return;
    }
    const isList = Array.isArray(value);
    const entries = Object.entries(value) as [string, Json][];
    if (entries.length === 0) this.nodes(block.otherwise, scope);
    entries.forEach(([name, item], index) => {
      const key = isList ? index : name;
      const data = { index, key, first: index === 0, last: index === entries.length - 1 };
      const named: Named = { value: item, path: undefined };
      const params = paramsOf(block, [named, { value: key, path: undefined }]);
      this.nodes(block.body, { value: item, path: undefined, parent: scope, data, params });
    });
  }

  #find(path: NamePath, scope: Scope): Named | undefined {
    const found = lookUp(scope, path);
    if (isNamed(found) && found.value !== undefined) return found;
    this.problems.push(isNamed(found) ? notYet(path) : found);
    return undefined;
  }
}

const paramsOf = ({ params }: TemplateBlock, values: readonly Named[]): ReadonlyMap<string, Named> | undefined =>
  params.length === 0
    ? undefined
    : new Map(params.flatMap((param, index) => (values[index] ? [[param, values[index]] as const] : [])));

const notYet = ({ written, within }: NamePath): TextProblem => ({
  code: 'AR402',
  message: `"${written}" has no value here`,
  within,
});

/** Handlebars' idea of truth: nothing, `0`, the empty text and the empty list are false. */
const isTrue = (value: Json): boolean => Boolean(value) && !isEmpty(value);

const isEmpty = (value: Json): boolean =>
  value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);

/** A value's kind in plain words. */
export function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return (
    { object: 'a map', string: 'text', number: 'a number', boolean: 'true or false' }[typeof value as 'object'] ??
    'unknown'
  );
}
