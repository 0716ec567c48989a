import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Tokens } from '../../../model/agents/agent.js';
import { isCount, isJsonObject, type Json } from '../../../model/json.js';
import { lastBytes } from '../../command/last-line.js';

/**
 * What codex writes down of a session while it goes on. Its events tell what was used only when all is over, and that is too late
 * for who wants to end it.
 */
export class CodexRollout {
  readonly #sessions: string;
  readonly #ending: string;
  #file: string | undefined;
  #size = -1;
  #searched = Number.NEGATIVE_INFINITY;
  #usage: Tokens | undefined;

  constructor(home: string, thread: string) {
    this.#sessions = join(home, 'sessions');
    this.#ending = `-${thread}.jsonl`;
  }

  /** The sum over the session so far; undefined while nobody knows. */
  usage(now: number): Tokens | undefined {
    if (this.#file === undefined && now - this.#searched >= searchMs) {
      this.#searched = now;
      this.#file = this.#find();
    }
    const size = this.#file === undefined ? undefined : statSync(this.#file, { throwIfNoEntry: false })?.size;
    if (size === undefined || size === this.#size) return this.#usage;
    this.#size = size;
    this.#usage = lastUsage(lastBytes(this.#file!, tailBytes)) ?? this.#usage;
    return this.#usage;
  }

  /** In a folder for each day; a session that is gone on with is in that of its beginning. */
  #find(): string | undefined {
    let days = [this.#sessions];
    for (const _level of ['year', 'month', 'day'])
      days = days.flatMap((dir) => namesIn(dir).map((name) => join(dir, name)));
    for (const day of days.slice(0, mostDays)) {
      const name = namesIn(day).find((file) => file.endsWith(this.#ending));
      if (name !== undefined) return join(day, name);
    }
    return undefined;
  }
}

const searchMs = 500;
const mostDays = 1000;
const tailBytes = 256 * 1024;

/** The newest first. */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort().reverse();
  } catch {
    return [];
  }
}

function lastUsage(text: string): Tokens | undefined {
  for (const line of text.split('\n').reverse()) {
    const tokens = line.includes('"token_count"') ? usageOf(line) : undefined;
    if (tokens) return tokens;
  }
  return undefined;
}

function usageOf(line: string): Tokens | undefined {
  let entry: Json;
  try {
    entry = JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
  const payload = isJsonObject(entry) && isJsonObject(entry.payload) ? entry.payload : {};
  const info = payload.type === 'token_count' && isJsonObject(payload.info) ? payload.info : {};
  return usageIn(info.total_token_usage);
}

/** Cached input is part of the input, thinking is part of the output. */
export function usageIn(usage: Json | undefined): Tokens | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { input_tokens: input, output_tokens: output } = usage;
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}

/** A sum that became smaller is no sum, and then nothing is known. */
export function difference(sum: Tokens, before: Tokens): Tokens | undefined {
  const [input, output] = [sum.input - before.input, sum.output - before.output];
  return input >= 0 && output >= 0 ? { input, output } : undefined;
}
