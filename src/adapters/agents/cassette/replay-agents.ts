import { statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { AgentAnswer, AgentRequest, Agents, CallSignals } from '../../../model/agents/agent.js';
import { type KeptCall, readCassette } from './cassette.js';
import { applyFiles, NotApplicable } from './cassette-apply.js';
import { leftOut } from './cassette-left-out.js';
import { nearestRecording } from './cassette-nearest.js';
import { type CassetteQuestion, fileNameOf, keyOf, type QuestionPorts, questionOf } from './cassette-question.js';

export interface ReplayPorts extends QuestionPorts {
  /** Absolute: where the cassettes are. */
  readonly folder: string;
}

/**
 * Answers from recordings: no model, no key, no money. A recording is believed no more than a live agent: its reply is
 * checked by who asked, and its files go nowhere but into the project folder.
 */
export class ReplayAgents implements Agents {
  readonly #ports: ReplayPorts;
  /** How often each question has been asked. */
  readonly #asked = new Map<string, number>();

  constructor(ports: ReplayPorts) {
    this.#ports = ports;
  }

  async ask(request: AgentRequest, { stop }: CallSignals): Promise<AgentAnswer> {
    if (stop.aborted) return { ok: false, why: 'cancelled', detail: 'stopped before it was asked' };
    writeFileSync(join(request.dir, 'prompt.md'), request.prompt);
    const question = questionOf(request, this.#ports);
    const name = fileNameOf(question);
    const turn = (this.#asked.get(name) ?? 0) + 1;
    this.#asked.set(name, turn);
    const found = this.#find({ question, name, turn, dir: request.dir });
    if (typeof found === 'string') return none(found);
    try {
      applyFiles(found.files, { root: request.root, leaveOut: leftOut(this.#ports) });
    } catch (error) {
      const why = error instanceof NotApplicable ? error.message : `its files cannot be written: ${wordsOf(error)}`;
      return none(`the recording ${this.#told(name)} cannot be used: ${why}`);
    }
    for (const file of found.files)
      if ('hidden' in file) request.said(`${file.path} is replayed as it was recorded, without its secrets`);
    if (found.answer.ok && found.answer.reply)
      writeFileSync(join(request.dir, 'reply.json'), `${JSON.stringify(found.answer.reply, null, 2)}\n`);
    return answerOf(found, `replay-${keyOf(question)}-${turn}`);
  }

  /** The recorded call, or the words for why there is none. */
  #find({ question, name, turn, dir }: Wanted): KeptCall | string {
    const { folder } = this.#ports;
    if (!isFolder(folder)) return `there is no folder ${folder} with recordings; ${howTo}`;
    const reading = readCassette(join(folder, name));
    if (reading.kind === 'broken') return `the recording ${this.#told(name)} cannot be used: ${reading.fault}`;
    if (reading.kind === 'missing') return this.#missing(question, dir);
    const { calls } = reading.cassette;
    const call = calls[turn - 1];
    if (!call)
      return `this was asked ${times(turn)}, but ${this.#told(name)} was recorded ${times(calls.length)}; ${howTo}`;
    if ('notRecorded' in call) return `call ${turn} of ${this.#told(name)} was not recorded: ${call.notRecorded}`;
    return call;
  }

  #missing(question: CassetteQuestion, dir: string): string {
    const { folder } = this.#ports;
    const opening = `there is no recording of this question in ${basename(folder)}`;
    const nearest = nearestRecording(question, folder);
    if (!nearest) return `${opening}, nor of any other; ${howTo}`;
    const file = join(dir, 'missing-recording.diff');
    writeFileSync(file, nearest.whole);
    return [
      `${opening}. The nearest is ${nearest.name} (- recorded, + asked):`,
      ...nearest.short.map((line) => `  ${line}`),
      `All of the difference: ${file}`,
      `${howTo[0]!.toUpperCase()}${howTo.slice(1)}`,
    ].join('\n');
  }

  #told(name: string): string {
    return `${basename(this.#ports.folder)}/${name}`;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

interface Wanted {
  readonly question: CassetteQuestion;
  readonly name: string;
  readonly turn: number;
  readonly dir: string;
}

const howTo = 'record it with `autoresearch exec --record`';

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

const none = (detail: string): AgentAnswer => ({ ok: false, why: 'no-recording', detail, ...free });

/** That nothing was spent is known here, and not a guess. */
const free = { usd: 0, tokens: { input: 0, output: 0 } };

function answerOf({ answer, model, turns, session }: KeptCall, id: string): AgentAnswer {
  const facts = {
    ...free,
    ...(model === undefined ? {} : { model }),
    ...(turns === undefined ? {} : { turns }),
    // Whether there is a session decides what is asked next.
    ...(session ? { session: { id } } : {}),
  };
  if (answer.ok) return { ok: true, reply: answer.reply ?? undefined, ...facts };
  return { ok: false, why: answer.why, detail: answer.detail, ...facts };
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
