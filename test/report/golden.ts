import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** The whole text, kept in a file that a person can read. */
export const golden = (name: string, text: string): Promise<void> =>
  expect(text).toMatchFileSnapshot(fileURLToPath(new URL(`../golden/report/${name}`, import.meta.url)));
