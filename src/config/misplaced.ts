import type { JsonSchema } from '../model/json-schema.js';
import { type Pointer, pointerPath } from '../model/pointer.js';
import { wordList } from '../source/quoted-list.js';
import { deref } from '../source/schema/schema-words.js';

/** `"retry" belongs under stages.<name>`, when the schema knows the key at another place. */
export function misplacedHint(schema: JsonSchema, pointer: Pointer, key: string): string | undefined {
  const here = pointerPath(pointer).slice(0, -1);
  // Another form of the same map may know the key, such as a gate of another kind; then it is not the place that is wrong.
  const places = placesOf(schema, key).filter((place) => place.length !== here.length || !isOnTheWay(place, here));
  if (places.length === 0) return undefined;
  const onTheWay = places.filter((place) => isOnTheWay(place, here));
  const nearest = (onTheWay.length > 0 ? onTheWay : places).sort((one, other) => one.length - other.length);
  const labels = nearest
    .slice(0, 3)
    .map((place) => (place.length === 0 ? 'at the top level' : `under ${place.join('.')}`));
  return `"${key}" belongs ${wordList(labels)}`;
}

const anyName = '<name>';

/** The maps that know a key, each as a path in which `<name>` stands for a name that the user chooses. */
function placesOf(root: JsonSchema, key: string): string[][] {
  const places = new Map<string, string[]>();
  const visit = (written: unknown, path: readonly string[]): void => {
    if (typeof written !== 'object' || written === null || path.length > 12) return;
    const schema = deref(written as JsonSchema, root);
    const properties = (schema.properties ?? {}) as Record<string, unknown>;
    if (Object.hasOwn(properties, key)) places.set(path.join('.'), [...path]);
    for (const [name, child] of Object.entries(properties)) visit(child, [...path, name]);
    visit(schema.additionalProperties, [...path, anyName]);
    visit(schema.items, path);
    for (const branch of [...asList(schema.anyOf), ...asList(schema.oneOf), ...asList(schema.allOf)])
      visit(branch, path);
  };
  visit(root, []);
  return [...places.values()];
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Above or below the place where the key was written. */
function isOnTheWay(place: readonly string[], here: readonly string[]): boolean {
  const shared = Math.min(place.length, here.length);
  return shared > 0 && place.slice(0, shared).every((part, index) => part === anyName || part === here[index]);
}
