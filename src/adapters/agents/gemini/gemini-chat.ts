import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Tokens } from '../../../model/agents/agent.js';
import { isCount, isJsonObject, type Json, jsonObjectIn } from '../../../model/json.js';
import { LineTail } from '../cli/line-tail.js';

/**
 * What gemini writes down of a session while it goes on: each answer of the model with its tokens, and those of its helpers in a
 * folder beside it. Its events tell what was used only when all is over, and that is too late for who wants to end it.
 */
export class GeminiChat {
  readonly #projects: string;
  readonly #session: string;
  readonly #tails = new Map<string, LineTail>();
  /** Answers of earlier calls; whatever is told of them again is not of this one. */
  readonly #before = new Set<string>();
  readonly #used = new Map<string, Tokens>();
  #searched = Number.NEGATIVE_INFINITY;

  constructor(home: string, session: string) {
    this.#projects = join(home, '.gemini', 'tmp');
    this.#session = session;
  }

  /** To be called before the program starts: what is there by then is of earlier calls. */
  passOver(): void {
    this.#search();
    this.#read();
    for (const id of this.#used.keys()) this.#before.add(id);
    this.#used.clear();
  }

  /** The sum over the call so far; undefined while nobody knows. */
  usage(now: number): Tokens | undefined {
    if (now - this.#searched >= searchMs) {
      this.#searched = now;
      this.#search();
    }
    this.#read();
    if (this.#used.size === 0) return undefined;
    let sum = { input: 0, output: 0 };
    for (const { input, output } of this.#used.values())
      sum = { input: sum.input + input, output: sum.output + output };
    return sum;
  }

  /** A folder for each project, of which nobody needs to know how it is named. */
  #search(): void {
    const begins = this.#session.slice(0, 8);
    for (const project of namesIn(this.#projects)) {
      const chats = join(this.#projects, project, 'chats');
      const own = namesIn(chats).filter((name) => name.startsWith('session-') && name.endsWith(`-${begins}.jsonl`));
      const helpers = namesIn(join(chats, this.#session)).filter((name) => name.endsWith('.jsonl'));
      const files = [...own, ...helpers.map((name) => join(this.#session, name))].map((name) => join(chats, name));
      for (const file of files) if (!this.#tails.has(file)) this.#tails.set(file, new LineTail(file, 0));
    }
  }

  #read(): void {
    for (const [file, tail] of this.#tails) tail.look((line) => this.#line(file, line));
  }

  #line(file: string, line: string): void {
    const record = line.includes('"tokens"') ? jsonObjectIn(line) : undefined;
    const tokens = usageIn(record?.tokens);
    const answer = `${file}:${String(record?.id)}`;
    if (tokens && !this.#before.has(answer)) this.#used.set(answer, most(this.#used.get(answer), tokens));
  }
}

const searchMs = 500;

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** An answer is told again when a tool has ended; it did not become cheaper by that. */
const most = (before: Tokens | undefined, now: Tokens): Tokens => ({
  input: Math.max(before?.input ?? 0, now.input),
  output: Math.max(before?.output ?? 0, now.output),
});

/** Thinking is only in the total. */
function usageIn(tokens: Json | undefined): Tokens | undefined {
  if (!isJsonObject(tokens)) return undefined;
  const { input, output, total } = tokens;
  if (!isCount(input) || !isCount(output) || !isCount(total)) return undefined;
  return { input, output: Math.max(output, total - input) };
}
