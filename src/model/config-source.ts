import type { ConfigSource } from './events/event.js';

export const isSameSource = (a: ConfigSource | undefined, b: ConfigSource): boolean =>
  a?.file === b.file && a.digest === b.digest && a.build === b.build;
