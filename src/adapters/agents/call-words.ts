import { join } from 'node:path';
import type { CallWords } from '../../run/agents/recall.js';
import { readPlain } from '../disk/plain-file.js';

/** What is kept of a call in its folder. An agent that was told of nothing and asked nothing is no call. */
export function callWords(dir: string): CallWords | undefined {
  const prompt = wordsIn(join(dir, 'prompt.md'));
  const reply = wordsIn(join(dir, 'reply.json'));
  return prompt === undefined ? undefined : { prompt, ...(reply === undefined ? {} : { reply }) };
}

function wordsIn(file: string): string | undefined {
  try {
    return readPlain(file);
  } catch {
    // Whatever took its place, there is nothing to tell.
    return undefined;
  }
}
