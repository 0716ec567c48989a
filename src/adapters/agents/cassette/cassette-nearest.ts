import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, type JsonObject } from '../../../model/json.js';
import { readCassette } from './cassette.js';
import { lineDiff } from './cassette-diff.js';
import { type CassetteQuestion, namePrefixOf } from './cassette-question.js';

export interface Nearest {
  /** The name of its file. */
  readonly name: string;
  /** A few lines for people. */
  readonly short: readonly string[];
  /** All of the difference. */
  readonly whole: string;
}

/** The recording that is most like the question, and how the two differ. Undefined when there is none that can be read. */
export function nearestRecording(question: CassetteQuestion, folder: string): Nearest | undefined {
  let best: { readonly name: string; readonly other: CassetteQuestion; readonly score: number } | undefined;
  for (const name of candidates(question, folder)) {
    const reading = readCassette(join(folder, name));
    if (reading.kind !== 'found') continue;
    const score = likeness(question, reading.cassette);
    if (!best || score > best.score) best = { name, other: reading.cassette, score };
  }
  return best ? { name: best.name, ...difference(best.other, question) } : undefined;
}

/** Those for the same role, agent and task by their names, else all: there is no need to read everything for a message. */
function candidates(question: CassetteQuestion, folder: string): readonly string[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  const alike = names.filter((name) => name.startsWith(namePrefixOf(question)));
  return (alike.length > 0 ? alike : names).slice(0, mostCandidates);
}

const mostCandidates = 500;

/** Role, agent and task first, then the part of the lines that are the same. */
function likeness(a: CassetteQuestion, b: CassetteQuestion): number {
  const same = ['role', 'agent', 'task'].filter((name) => a.settings[name] === b.settings[name]).length;
  const lines = new Set(b.prompt);
  const shared = a.prompt.filter((line) => lines.has(line)).length;
  return same + shared / (Math.max(a.prompt.length, b.prompt.length) + 1);
}

function difference(recorded: CassetteQuestion, asked: CassetteQuestion): Pick<Nearest, 'short' | 'whole'> {
  const settings = settingLines(recorded.settings, asked.settings);
  const diff = lineDiff(recorded.prompt, asked.prompt).map(({ sign, line }) => `${sign} ${line}`);
  const changed = diff.filter((line) => !line.startsWith(' '));
  const more = changed.length - mostLines;
  return {
    short: [
      ...settings.map(short),
      ...changed.slice(0, mostLines).map(short),
      ...(more > 0 ? [`… and ${more} more changed lines`] : []),
    ],
    whole: `${['--- recorded', '+++ asked', ...settings, ...diff].join('\n')}\n`,
  };
}

const mostLines = 12;

/** For a terminal, which must not obey what stands in a cassette. */
const short = (line: string): string => {
  const plain = line.replace(/\p{Cc}/gu, '\ufffd');
  return plain.length > 160 ? `${plain.slice(0, 159)}…` : plain;
};

function settingLines(recorded: JsonObject, asked: JsonObject): readonly string[] {
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(asked)])].sort();
  const told = (value: unknown): string => (value === undefined ? 'not set' : canonicalJson(value));
  return names
    .filter((name) => told(recorded[name]) !== told(asked[name]))
    .map((name) => `${name}: recorded with ${told(recorded[name])}, asked with ${told(asked[name])}`);
}
