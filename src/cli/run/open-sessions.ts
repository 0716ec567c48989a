import { existsSync } from 'node:fs';
import { socketPath } from '../../adapters/agents/tmux/tmux-names.js';
import type { OpenSession } from '../../adapters/agents/tmux/tmux-sessions.js';

/** The terminal programs that agents of this project keep open. Starts nothing where there can be none. */
export async function openSessions(stateDir: string, env: NodeJS.ProcessEnv): Promise<readonly OpenSession[]> {
  const socket = socketPath(stateDir);
  if (!existsSync(socket)) return [];
  return (await import('../../adapters/agents/tmux/tmux-sessions.js')).listSessions(socket, env);
}

/** Answers with the names of those that it ended. */
export async function endOpenSessions(stateDir: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const socket = socketPath(stateDir);
  if (!existsSync(socket)) return [];
  return (await import('../../adapters/agents/tmux/tmux-sessions.js')).endSessions(socket, undefined, env);
}
