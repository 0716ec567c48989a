import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { AgentTrouble, Tokens } from '../../../model/agents/agent.js';
import { canonicalJson, type JsonObject } from '../../../model/json.js';
import { statsAt } from './cassette-path.js';
import { type CassetteQuestion, fileNameOf, keyOf } from './cassette-question.js';
import { cassetteFault } from './cassette-shape.js';

/** Everything that was recorded for one question, in the order in which it was asked. One file. */
export interface Cassette extends CassetteQuestion {
  readonly version: 1;
  readonly calls: readonly RecordedCall[];
}

export type RecordedCall = KeptCall | LostCall;

export interface KeptCall {
  /** The run that it was recorded in. */
  readonly run: string;
  readonly backend: string;
  readonly durationMs: number;
  readonly model?: string;
  readonly turns?: number;
  /** What it cost then. A replay costs nothing. */
  readonly recordedUsd?: number;
  readonly tokens?: Tokens;
  /** There was a session to go on with. */
  readonly session?: true;
  readonly answer:
    | { readonly ok: true; readonly reply: JsonObject | null }
    | { readonly ok: false; readonly why: AgentTrouble; readonly detail: string };
  readonly files: readonly RecordedFile[];
}

/** A call that could not be kept: it holds the place of its answer, so that the next one is not taken for it. */
export interface LostCall {
  readonly run: string;
  readonly notRecorded: string;
}

/** A file as it was after the call. Modes are octal, text is line by line. */
export type RecordedFile =
  | { readonly path: string; readonly removed: true }
  | { readonly path: string; readonly link: string }
  | { readonly path: string; readonly mode: string; readonly text: readonly string[]; readonly hidden?: true }
  | { readonly path: string; readonly mode: string; readonly base64: string };

export type CassetteReading =
  | { readonly kind: 'found'; readonly cassette: Cassette }
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly fault: string };

export const mostFileBytes = 5_000_000;
export const mostCallBytes = 20_000_000;
/** Calls of one question in one file, each with escapes and base64. */
const mostCassetteBytes = 200_000_000;

export function cassetteText({ version, settings, prompt, calls }: Cassette): string {
  const content = { version, key: keyOf({ settings, prompt }), settings, prompt, calls };
  return `${JSON.stringify({ ...content, digest: digestOf(content) }, null, 2)}\n`;
}

/** What a file says is never repeated here: it might be a link to something that is nobody's business. */
export function readCassette(file: string): CassetteReading {
  const stats = statsAt(file);
  if (!stats) return { kind: 'missing' };
  if (!stats.isFile()) return broken('it is no plain file');
  if (stats.size > mostCassetteBytes) return broken(`it is larger than ${mostCassetteBytes / 1e6} MB`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return broken(error instanceof SyntaxError ? 'it is not whole JSON' : 'it cannot be read');
  }
  try {
    const fault = cassetteFault(value);
    if (fault !== undefined) return broken(fault);
    const { digest, ...content } = value as Cassette & { readonly key: string; readonly digest: string };
    if (content.key !== keyOf(content) || digest !== digestOf(content))
      return broken('it was edited: its digest does not fit what is in it');
    if (basename(file) !== fileNameOf(content)) return broken('its name does not fit the question in it');
    const { version, settings, prompt, calls } = content;
    return { kind: 'found', cassette: { version, settings, prompt, calls } };
  } catch {
    // Nested so deeply that not even a digest can be made.
    return broken('it is no recording');
  }
}

const broken = (fault: string): CassetteReading => ({ kind: 'broken', fault });

const digestOf = (content: object): string => hash('sha256', canonicalJson(content)).slice(0, 32);
