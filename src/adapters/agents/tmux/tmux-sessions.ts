import type { Environment } from '../../command/environment.js';
import { endMarked } from '../marked-processes.js';
import { Tmux } from './tmux.js';
import { attachCommand, markerFor, sessionMarker } from './tmux-names.js';

export interface OpenSession {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** How many terminals look at it now. */
  readonly attached: number;
  /** Set when the program in it has ended and only its last screen is left. */
  readonly ended: boolean;
  /** What a person types to get into it. */
  readonly attach: string;
}

/** The sessions of a project, also those that an earlier runner opened. None where tmux is not installed. */
export async function listSessions(socket: string, env: Environment = process.env): Promise<readonly OpenSession[]> {
  const tmux = new Tmux(socket, env);
  const found = await orNoneWithoutTmux(tmux.list());
  return Promise.all(
    found.map(async (facts) => ({
      ...facts,
      ended: (await tmux.processes(facts.name)).length === 0,
      attach: attachCommand(socket, facts.name),
    })),
  );
}

/** Ends these sessions, or all of the project's, with everything that was started in them. Answers with their names. */
export async function endSessions(
  socket: string,
  names?: readonly string[],
  env: Environment = process.env,
): Promise<readonly string[]> {
  const tmux = new Tmux(socket, env);
  const open = (await orNoneWithoutTmux(tmux.list())).map(({ name }) => name);
  for (const name of names ?? open) await endSession(tmux, name);
  // What a server left behind that was killed itself is in no list any more.
  if (!names)
    await endMarked(
      [],
      ofMarker((value) => value.startsWith(markerFor(socket, ''))),
    );
  return open.filter((name) => names?.includes(name) ?? true);
}

/** Ends one session and its whole process tree; nothing happens when there is none. */
export async function endSession(tmux: Tmux, name: string): Promise<void> {
  const marker = markerFor(tmux.socket, name);
  // A server that does not answer must not save what runs in it.
  const roots = await tmux.processes(name).catch(() => []);
  await endMarked(
    roots,
    ofMarker((value) => value === marker),
  );
  await orNoneWithoutTmux(tmux.close(name).then(() => []));
}

/** Ends what a program that has ended left running, and leaves its last screen to look at. */
export const endLeftovers = (socket: string, name: string): Promise<void> =>
  endMarked(
    [],
    ofMarker((value) => value === markerFor(socket, name)),
  );

const ofMarker = (matches: (value: string) => boolean) => ({ variable: sessionMarker, matches });

async function orNoneWithoutTmux<Item>(list: Promise<readonly Item[]>): Promise<readonly Item[]> {
  try {
    return await list;
  } catch (error) {
    if ((error as { missing?: boolean }).missing) return [];
    throw error;
  }
}
