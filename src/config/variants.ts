import type { Document } from '../model/document.js';
import { pointerOf, pointerPath } from '../model/pointer.js';
import type { Layer } from './layer.js';
import type { Vars } from './param-values.js';

/**
 * Each preset with the defaults of its parameters below it, and above it what the values of its parameters add. These
 * are layers of their own, so that every value is found where it is written.
 */
export function withDefaults(layers: readonly Layer[]): readonly Layer[] {
  return layers.flatMap((layer) => {
    const stated = Object.entries(layer.params ?? {}).filter(([, param]) => param.default !== undefined);
    if (stated.length === 0) return [layer];
    const vars = Object.fromEntries(stated.map(([name, param]) => [name, param.default]));
    const document = seenFrom(layer.document, { vars }, (path) =>
      path[0] === 'vars' && path[1] !== undefined ? ['params', path[1], 'default', ...path.slice(2)] : ['params'],
    );
    return [{ name: layer.name, document, value: { vars } }, layer];
  });
}

export function withVariants(layers: readonly Layer[], vars: Vars): readonly Layer[] {
  return layers.flatMap((layer) => {
    const chosen = Object.entries(layer.variants ?? {}).flatMap(([param, parts]) => {
      const value = String(vars[param]);
      if (!Object.hasOwn(parts, value)) return [];
      const document = seenFrom(layer.document, parts[value], (path) => ['variants', param, value, ...path]);
      return [{ name: `${layer.name} (${param}: ${value})`, document, value: parts[value]! }];
    });
    return [layer, ...chosen];
  });
}

/** A part of a file as if it were a file of its own. */
function seenFrom(document: Document, value: unknown, path: (inner: readonly string[]) => readonly string[]): Document {
  return {
    file: document.file,
    text: document.text,
    value,
    locate: (pointer, what) => document.locate(pointerOf(...path(pointerPath(pointer))), what),
  };
}
