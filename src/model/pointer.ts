/** JSON pointers (RFC 6901): the address of a value inside a config. `''` is the whole document. */
export type Pointer = string;

export const pointerOf = (...path: readonly (string | number)[]): Pointer =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export const pointerPath = (pointer: Pointer): string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** How a pointer is shown to people: `/stages/train/needs/0` → `stages.train.needs[0]`. */
export const pointerLabel = (pointer: Pointer): string =>
  pointerPath(pointer)
    .map((part, index) => {
      if (/^\d+$/.test(part)) return `[${part}]`;
      if (!/^[\w$-]+$/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');

export function valueAt(document: unknown, pointer: Pointer): unknown {
  let value: unknown = document;
  for (const part of pointerPath(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
