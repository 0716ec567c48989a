import type { Json, JsonObject } from '../../../model/json.js';

/**
 * What a program of the user's says of its helpers, which nobody else could count: who may start some has to say how many it did,
 * and who may start none need not. The reply goes on without it.
 */
export function helpersIn(
  said: JsonObject | undefined,
  most: number,
): { readonly reply: JsonObject | undefined; readonly trouble?: string } {
  if (!said) return { reply: undefined };
  const { helpers, ...reply } = said;
  const trouble = troubleOf(helpers, most);
  return { reply, ...(trouble === undefined ? {} : { trouble }) };
}

function troubleOf(said: Json | undefined, most: number): string | undefined {
  if (said === undefined && most === 0) return undefined;
  if (!Number.isSafeInteger(said) || (said as number) < 0)
    return `it may start ${most} helpers, and its reply does not say how many it did ("helpers": a whole number)`;
  return (said as number) > most ? `it says that it started ${said} helpers where ${most} are allowed` : undefined;
}
