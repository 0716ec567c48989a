import type { Diagnostic } from '../model/diagnostic.js';
import { didYouMean } from '../source/did-you-mean.js';

export const unknownTask = (name: string, known: readonly string[]): Diagnostic => ({
  code: 'AR604',
  message: `there is no task or stage "${name}"`,
  at: { kind: 'argument', argument: name },
  hint:
    didYouMean(name, [...known, ...new Set(known.map((id) => id.split(':')[0]!))]) ??
    'Run autoresearch plan --verbose for the list',
});
