import type { Agent } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import type { Problems } from '../problems.js';

type Backend = Agent['backend'];
type Key = Exclude<keyof Agent, 'backend' | 'model' | 'family' | 'lifecycle' | 'limits' | 'optional'>;

/** What each backend reads, besides what all of them do. Total on purpose: a new key has to be thought about. */
const readers: Record<Key, ReadonlySet<Backend>> = {
  run: new Set(['command']),
  interactive: new Set(['command']),
  path: new Set(['claude', 'codex', 'gemini', 'opencode']),
  args: new Set(['claude', 'codex', 'gemini', 'opencode']),
  tools: new Set(['claude', 'gemini', 'opencode', 'api']),
  passEnv: new Set(['claude', 'codex', 'gemini', 'opencode', 'command', 'auto', 'api']),
  baseUrl: new Set(['api', 'auto']),
  apiKeyEnv: new Set(['api', 'auto']),
  temperature: new Set(['api', 'auto']),
  toolCalls: new Set(['api', 'auto']),
};

/** What a backend cannot do without, and what it would leave unread. Recordings are looked up by what the recorded one had. */
export function checkAgents(
  agents: { readonly [name: string]: Agent },
  auto: ReadonlySet<string>,
  problems: Problems,
): void {
  for (const [name, agent] of Object.entries(agents)) {
    const backend = auto.has(name) ? 'auto' : agent.backend;
    if (backend === 'replay') continue;
    for (const [key, backends] of Object.entries(readers))
      if (agent[key as Key] !== undefined && !backends.has(backend)) problems.add(unread([name, key], backend));
    if (agent.limits?.step !== undefined && backend !== 'api' && backend !== 'auto')
      problems.add(unread([name, 'limits', 'step'], backend));
    if (agent.limits?.endpoint !== undefined && backend !== 'auto')
      problems.add(unread([name, 'limits', 'endpoint'], backend));
    for (const { key, hint } of needed[backend] ?? [])
      if (agent[key] === undefined) problems.add(lacks(name, backend, { key, hint }));
    if (agent.interactive && agent.lifecycle !== undefined && agent.lifecycle !== 'persistent')
      problems.add({
        code: 'AR313',
        message: `an interactive agent keeps its session, and cannot be "${agent.lifecycle}"`,
        at: { kind: 'config', pointer: pointerOf('agents', name, 'lifecycle') },
        hint: 'Write persistent, or take interactive out',
      });
  }
}

interface Needed {
  readonly key: 'run' | 'baseUrl' | 'model';
  readonly hint: string;
}

const needed: Partial<Record<Backend, readonly Needed[]>> = {
  command: [{ key: 'run', hint: 'Write the command that is to be run: it gets the prompt on its standard input' }],
  api: [
    { key: 'baseUrl', hint: 'Write the address of an OpenAI-compatible endpoint, such as https://api.openai.com/v1' },
    { key: 'model', hint: 'Write the name of the model, as the endpoint calls it' },
  ],
};

const lacks = (name: string, backend: string, { key, hint }: Needed): Parameters<Problems['add']>[0] => ({
  code: 'AR313',
  message: `an agent of the backend "${backend}" needs "${key}"`,
  at: { kind: 'config', pointer: pointerOf('agents', name) },
  hint,
});

const unread = (path: readonly string[], backend: string): Parameters<Problems['add']>[0] => ({
  code: 'AR313',
  message: `an agent of the backend "${backend}" does not use "${path.slice(1).join('.')}"`,
  at: { kind: 'config', pointer: pointerOf('agents', ...path), key: true },
  hint: 'Take it out, or choose the backend that uses it',
});
