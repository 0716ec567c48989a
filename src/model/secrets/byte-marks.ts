import type { Secrets } from './secrets.js';

/** What is to be looked for in bytes, one letter each, and what to put there: so no text is too broken to be searched. */
export const byteMarks = ({ marks }: Pick<Secrets, 'marks'>): ReadonlyMap<string, string> =>
  new Map([...marks].map(([form, mark]) => [asBytes(form), asBytes(mark)]));

const asBytes = (text: string): string => Buffer.from(text).toString('latin1');
