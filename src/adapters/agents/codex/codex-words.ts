import { relative } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.js';
import { readable } from '../../../run/errors/said-lines.js';
import type { ItemStage } from './codex-event.js';

/** One short line for people about something that codex does; undefined for what is not worth a line. */
export function codexWords(stage: ItemStage, item: JsonObject, cwd: string): string | undefined {
  switch (item.type) {
    case 'command_execution':
      return stage === 'started' ? said('runs', bareCommand(text(item.command))) : undefined;
    case 'file_change':
      return stage === 'completed' ? said('changed', pathsOf(item.changes, cwd).join(', ')) : undefined;
    case 'agent_message':
      return stage === 'completed' ? firstWords(text(item.text)) : undefined;
    case 'web_search':
      return stage === 'completed' ? said('searched', text(item.query)) : undefined;
    case 'mcp_tool_call':
      return stage === 'started' ? said('calls', `${text(item.server)}.${text(item.tool)}`) : undefined;
    default:
      return undefined;
  }
}

/** The first line that a person would see, and not too much of it. */
export function shortLine(words: string): string | undefined {
  const line = readable(words.slice(0, mostLooked).split('\n', mostLines))[0]?.trim();
  if (line === undefined) return undefined;
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

const longest = 120;
const mostLooked = 4000;
const mostLines = 40;

function said(verb: string, about: string): string | undefined {
  const line = shortLine(about);
  return line === undefined ? undefined : `${verb} ${line}`;
}

/** A reply is for the program that asked. */
function firstWords(message: string): string | undefined {
  const line = shortLine(message);
  return line === undefined || /^(?:\{|```)/.test(line) ? undefined : line;
}

/** codex shows the shell that it starts around every command. */
function bareCommand(command: string): string {
  const inner = /^\S*\/(?:ba|z|da)?sh -l?c (?<inner>.*)$/s.exec(command)?.groups?.inner;
  if (inner === undefined) return command;
  return /^(['"]).*\1$/s.test(inner) ? inner.slice(1, -1) : inner;
}

function pathsOf(changes: Json | undefined, cwd: string): string[] {
  if (!Array.isArray(changes)) return [];
  const paths = changes.map((change: Json) => (isJsonObject(change) ? text(change.path) : ''));
  return paths.filter((path) => path !== '').map((path) => (path.startsWith('/') ? relative(cwd, path) : path));
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
