import type { Json, JsonObject } from '../../../model/json.js';
import { ToolRefusal } from './call-end.js';

/** Something that the model can ask for. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  /** For people, in short. */
  about(args: JsonObject): string;
  /** The words for the model. Throws a `ToolRefusal` for what is not done, a `CallEnd` for what ends it all. */
  run(args: JsonObject): Promise<string> | string;
}

export const parameters = (
  properties: { readonly [name: string]: JsonObject },
  required: readonly string[],
): JsonObject => ({ type: 'object', properties, required, additionalProperties: false });

export const textType = (description: string): JsonObject => ({ type: 'string', description });
export const countType = (description: string): JsonObject => ({ type: 'integer', minimum: 1, description });

export function textOf(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') throw new ToolRefusal(`"${name}" has to be text`);
  return value;
}

export const optionalText = (args: JsonObject, name: string, otherwise: string): string =>
  isGiven(args[name]) ? textOf(args, name) : otherwise;

export function optionalCount(args: JsonObject, name: string, otherwise: number): number {
  const value = args[name];
  if (!isGiven(value)) return otherwise;
  if (!Number.isSafeInteger(value) || (value as number) < 1)
    throw new ToolRefusal(`"${name}" has to be a whole number from 1`);
  return value as number;
}

export function optionalFlag(args: JsonObject, name: string): boolean {
  const value = args[name];
  if (!isGiven(value)) return false;
  if (typeof value !== 'boolean') throw new ToolRefusal(`"${name}" has to be true or false`);
  return value;
}

/** Many models fill in `null` for what they leave out. */
const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null;

/** No result is longer than this, whatever tool it comes from. */
export const mostResultCharacters = 30_000;

export function cutText(text: string, most: number = mostResultCharacters): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}\n[cut: ${text.length - most} of ${text.length} characters left out]`;
}
