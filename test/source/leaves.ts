export interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Every value inside a value, the containers included. */
export function leavesOf(value: unknown, path: readonly (string | number)[] = []): Leaf[] {
  const children = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [
    { path, value },
    ...children.flatMap(([key, child]) => leavesOf(child, [...path, Array.isArray(value) ? Number(key) : key])),
  ];
}
