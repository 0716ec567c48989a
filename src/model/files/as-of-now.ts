import type { Files } from '../ports.js';

/** For whoever begins: each file is looked at once, because one look costs as much as everything that is done with it. */
export const asOfNow = (files: Files): Files => files.recent?.() ?? files.still?.() ?? files;
