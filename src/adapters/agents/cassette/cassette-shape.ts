import type { AgentTrouble } from '../../../model/agents/agent.js';
import { isCount, isJsonObject, type JsonObject } from '../../../model/json.js';

/** Whether a trouble tells of the work, so that it is worth keeping. The others tell of the day. */
const isKept: Record<AgentTrouble, boolean> = {
  refused: true,
  'max-turns': true,
  'over-cap': true,
  looping: true,
  'too-many-files': true,
  'too-many-helpers': true,
  // After it something else is asked, which a replay has to ask too.
  'session-lost': true,
  'not-installed': false,
  'not-logged-in': false,
  quota: false,
  overloaded: false,
  'timed-out': false,
  idle: false,
  'no-recording': false,
  crashed: false,
  cancelled: false,
};

export const isKeptTrouble = (why: unknown): boolean =>
  typeof why === 'string' && Object.hasOwn(isKept, why) && isKept[why as AgentTrouble];

/** What is wrong with the form of a cassette; undefined when nothing is. */
export function cassetteFault(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'it is no recording';
  if (value.version !== 1) return `its version is ${JSON.stringify(value.version)?.slice(0, 20)}, and only 1 is known`;
  const { key, digest, settings, prompt, calls } = value;
  if (typeof key !== 'string' || typeof digest !== 'string' || !isJsonObject(settings)) return 'it is no recording';
  if (!isTexts(prompt)) return 'its prompt is no list of lines';
  if (!Array.isArray(calls) || calls.length === 0) return 'it holds no call';
  const wrong = calls.findIndex((call) => !isCall(call));
  return wrong === -1 ? undefined : `its call ${wrong + 1} is not in the form of a recording`;
}

function isCall(call: unknown): boolean {
  if (!isJsonObject(call) || typeof call.run !== 'string') return false;
  if (has(call, ['run', 'notRecorded'])) return typeof call.notRecorded === 'string';
  const { backend, durationMs, model, turns, recordedUsd, tokens, session, answer, files } = call;
  return (
    has(call, known) &&
    typeof backend === 'string' &&
    isAmount(durationMs) &&
    (model === undefined || typeof model === 'string') &&
    (turns === undefined || isCount(turns)) &&
    (recordedUsd === undefined || isAmount(recordedUsd)) &&
    (tokens === undefined || (isJsonObject(tokens) && isCount(tokens.input) && isCount(tokens.output))) &&
    (session === undefined || session === true) &&
    isAnswer(answer) &&
    Array.isArray(files) &&
    files.every(isFile)
  );
}

const known = 'run backend durationMs model turns recordedUsd tokens session answer files'.split(' ');

function isAnswer(answer: unknown): boolean {
  if (!isJsonObject(answer)) return false;
  if (answer.ok === true) return has(answer, ['ok', 'reply']) && (answer.reply === null || isJsonObject(answer.reply));
  return answer.ok === false && isKeptTrouble(answer.why) && typeof answer.detail === 'string';
}

function isFile(file: unknown): boolean {
  if (!isJsonObject(file) || typeof file.path !== 'string') return false;
  if (has(file, ['path', 'removed'])) return file.removed === true;
  if (has(file, ['path', 'link'])) return typeof file.link === 'string';
  if (typeof file.mode !== 'string' || !/^[0-7]{3}$/.test(file.mode)) return false;
  if (has(file, ['path', 'mode', 'base64']))
    return typeof file.base64 === 'string' && Buffer.from(file.base64, 'base64').toString('base64') === file.base64;
  return has(file, ['path', 'mode', 'text', 'hidden']) && isTexts(file.text) && (file.hidden ?? true) === true;
}

const has = (value: JsonObject, keys: readonly string[]): boolean =>
  Object.keys(value).every((key) => keys.includes(key));

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((line) => typeof line === 'string' && !line.includes('\n'));

const isAmount = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;
