import { isJsonObject, type JsonObject } from '../../../model/json.js';
import type { LineNews } from '../cli/cli-dialect.js';

/** What a message of the model means to people who watch. */
export function claudeNews(blocks: readonly JsonObject[], about: { byHelper: boolean; cwd: string }): LineNews {
  const words = blocks.map((block) => wordsOf(block, about.cwd)).find((text) => text !== undefined);
  return words === undefined ? {} : { said: about.byHelper ? `helper: ${words}` : words };
}

/** It goes on when it may not do something, so nobody would know. */
export function denialNews({ permission_denials: denials }: JsonObject): LineNews {
  if (!Array.isArray(denials) || denials.length === 0) return {};
  const names = denials.filter(isJsonObject).map(({ tool_name }) => String(tool_name));
  return { said: `was not allowed to use ${[...new Set(names)].join(', ')} (${denials.length}×)` };
}

function wordsOf({ type, text, name, input }: JsonObject, cwd: string): string | undefined {
  if (type === 'text' && typeof text === 'string' && text.trim() !== '') return text.trim().split('\n', 1)[0];
  if (type !== 'tool_use' || typeof name !== 'string' || name === 'StructuredOutput') return undefined;
  const given = isJsonObject(input)
    ? subjects.map((key) => input[key]).find((value) => typeof value === 'string')
    : undefined;
  return given === undefined ? name : `${name} ${String(given).replace(`${cwd}/`, '')}`;
}

/** What a tool is used on, by the names that its parameters have. */
const subjects: readonly string[] = [
  'file_path',
  'notebook_path',
  'command',
  'pattern',
  'path',
  'url',
  'query',
  'description',
];
