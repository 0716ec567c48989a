import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { AgentRequest } from '../../../model/agents/agent.js';
import { canonicalJson, type JsonObject } from '../../../model/json.js';
import { signatureOf } from '../../../run/errors/error-signature.js';
import { hiderOf } from './cassette-secrets.js';

/** What makes two calls the same call, wherever and whenever they are made. */
export interface CassetteQuestion {
  readonly settings: JsonObject;
  /** Line by line. */
  readonly prompt: readonly string[];
}

export interface QuestionPorts {
  /** Absolute: the project folder, and the home of who runs it. */
  readonly root: string;
  readonly home: string;
  /** The id of the run. */
  readonly run: string;
  /** The text without the secrets that are known by their value. */
  hide(text: string): string;
}

/** The secrets go first, so that a lab that has none of them asks the same. */
export function questionOf(request: AgentRequest, ports: QuestionPorts): CassetteQuestion {
  const { name, role, task, agent, access, scope, helpers, replySchema, prompt } = request;
  const { title } = replySchema;
  const hider = hiderOf(ports.hide);
  const settings: JsonObject = {
    role,
    agent: name,
    task,
    ...(agent.model === undefined ? {} : { model: agent.model }),
    ...(agent.tools === undefined ? {} : { tools: agent.tools }),
    ...(agent.temperature === undefined ? {} : { temperature: agent.temperature }),
    access,
    ...(scope === undefined ? {} : { scope }),
    helpers,
    ...(typeof title === 'string' ? { reply: title } : {}),
  };
  const lines = placeless(hider.words(prompt), { ...ports, request })
    .replaceAll('\r\n', '\n')
    .split('\n');
  return { settings: hider.json(settings) as JsonObject, prompt: lines.map(unvarying(request, ports)) };
}

/** What a program printed is compared by what it means: not by how long it took, or in which line it stood. */
function unvarying(request: AgentRequest, ports: QuestionPorts): (line: string) => string {
  const { quoted = [] } = request;
  if (quoted.length === 0) return (line) => line;
  const hider = hiderOf(ports.hide);
  const known = new Set(quoted.map((line) => placeless(hider.words(line), { ...ports, request }).trim()));
  return (line) => (known.has(line.trim()) ? signatureOf(line) : line);
}

export const keyOf = ({ settings, prompt }: CassetteQuestion): string =>
  hash('sha256', canonicalJson({ settings, prompt })).slice(0, 32);

/** Begins with what people look for; the key alone tells two apart. */
export function fileNameOf(question: CassetteQuestion): string {
  return `${namePrefixOf(question)}${keyOf(question)}.json`;
}

export const namePrefixOf = ({ settings }: CassetteQuestion): string =>
  [settings.role, settings.agent, settings.task].map((part) => `${slug(String(part))}-`).join('');

const slug = (text: string): string => text.replace(/[^A-Za-z0-9_]+/g, '-').slice(0, 40);

type Places = Omit<QuestionPorts, 'hide'> & { readonly request: Pick<AgentRequest, 'task' | 'root'> };

/** The text as it would read in any other folder, home and run. */
function placeless(text: string, { root, home, run, request }: Places): string {
  const { task } = request;
  let plain = text;
  // A worktree first: it lies in the project.
  for (const folder of [...bothNames(request.root), ...bothNames(root)])
    plain = plain.replace(folderPattern(folder), '<root>');
  for (const folder of bothNames(home)) plain = plain.replace(folderPattern(folder), '<home>');
  plain = plain.replace(new RegExp(`(?<![\\w-])${literal(run)}(?![\\w-])`, 'g'), '<run>');
  plain = plain.replace(/(?:<root>\/)?\.autoresearch\/[^/\s]+\/runs\/<run>/g, '<run>');
  return plain.replace(new RegExp(`<run>/tasks/${literal(task)}/\\d+(?![\\w.-])`, 'g'), '<run>');
}

/** A folder that is reached by a link may be spoken of by its other name. The longest first. */
function bothNames(folder: string): readonly string[] {
  let real = folder;
  try {
    real = realpathSync(folder);
  } catch {
    // Then it has one name.
  }
  const names = [...new Set([folder, real])].map((name) => name.replace(/\/+$/, ''));
  return names.filter((name) => name.length > 1).sort((a, b) => b.length - a.length);
}

/** As a path of its own, or after a flag (`-I/work`) or an escaped line break; not `docs/root`, not `/work-2`. */
const folderPattern = (folder: string): RegExp =>
  new RegExp(`(?<=^|[^\\w.~-]|(?:^|\\s)-\\w|\\\\[nrt])${literal(folder)}(?![\\w-]|\\.\\w)`, 'gm');

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
