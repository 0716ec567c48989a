export type { Options, ResultPromise } from 'execa';

/** The one door to execa. Importing it is a quarter of Node's own start-up, so whoever starts nothing through it does not load it. */
export const loadExeca = async (): Promise<typeof import('execa').execa> => (await import('execa')).execa;
