/** The classes of errors that have a name of their own. All others are told apart by their messages. */
export const knownErrorClasses = [
  'out-of-memory',
  'disk-full',
  'quota',
  'timeout',
  'transient',
  'permission',
  'not-found',
  'output',
  'design',
  'cancelled',
  'budget-spent',
] as const;

export type KnownErrorClass = (typeof knownErrorClasses)[number];
