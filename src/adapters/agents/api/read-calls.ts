import { isJsonObject, type Json, type JsonObject } from '../../../model/json.js';
import type { Form, ToolCall } from './history.js';
import { type Hide, hideIn } from './secret.js';
import { readTextCall } from './text-calls.js';
import type { ToolBox } from './tool-box.js';

export type ReadCalls =
  | { readonly ok: true; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly ok: false; readonly text: string; readonly wrong: string };

export interface CallReading {
  readonly form: Form;
  readonly tools: ToolBox;
  readonly hide: Hide;
  newId(): string;
}

/** The calls in a message of the model. When one of them is wrong, none counts: nobody knows what was meant. */
export function readCalls(message: JsonObject, reading: CallReading): ReadCalls {
  const text = typeof message.content === 'string' ? message.content : textParts(message.content);
  const read = reading.form === 'text' ? [textCall(text, reading)] : nativeCalls(message.tool_calls, reading);
  const wrong = read.find((call) => typeof call === 'string');
  if (wrong !== undefined) return { ok: false, text, wrong };
  const calls = read as ToolCall[];
  // In the text form the call is part of the text; it is put back when the message is sent again.
  return { ok: true, text: reading.form === 'text' ? withoutCall(text) : text, calls };
}

const mostCalls = 16;

function nativeCalls(value: Json | undefined, reading: CallReading): (ToolCall | string)[] {
  if (!Array.isArray(value) || value.length === 0) return ['it called no tool'];
  if (value.length > mostCalls) return [`it called ${value.length} tools at once, and ${mostCalls} are the most`];
  return value.map((call) => nativeCall(call, reading));
}

function nativeCall(value: Json, reading: CallReading): ToolCall | string {
  const called = isJsonObject(value) ? value.function : undefined;
  if (!isJsonObject(called) || typeof called.name !== 'string') return 'a call had no name';
  // Some servers send the object itself, which the protocol does not.
  const args = typeof called.arguments === 'string' ? parsed(called.arguments) : called.arguments;
  if (!isJsonObject(args)) return `the arguments of ${shown(called.name)} were no JSON object`;
  return checked(called.name, args, reading);
}

function textCall(text: string, reading: CallReading): ToolCall | string {
  const call = readTextCall(text);
  return call.ok ? checked(call.tool, call.args, reading) : call.wrong;
}

/** Ids are our own: those of some servers repeat, or are empty. */
function checked(tool: string, args: JsonObject, { tools, hide, newId }: CallReading): ToolCall | string {
  if (!tools.has(tool)) return `there is no tool "${shown(tool)}"; there are ${[...tools.keys()].join(', ')}`;
  return { id: newId(), tool, args: hideIn(hide, args) as JsonObject };
}

const shown = (name: string): string => name.slice(0, 60);

const withoutCall = (text: string): string => text.slice(0, Math.max(0, text.indexOf('{'))).trim();

/** Some servers send the content in parts. */
const textParts = (content: Json | undefined): string =>
  Array.isArray(content)
    ? content.map((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
    : '';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
