import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Failure } from '../../model/failure.js';
import { err, ok, type Result } from '../../model/result.js';
import { byteMarks } from '../../model/secrets/byte-marks.js';
import type { Secrets } from '../../model/secrets/secrets.js';
import type { Environment } from '../command/environment.js';
import { diskError } from '../disk/disk-error.js';
import { type FromScribe, lineReader, type ToScribe } from './scribe-words.js';

export interface ScribeWish {
  readonly secrets: Secrets;
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly most?: number;
  /** The logs cannot be written any more: what the command prints from now on is lost. Called once at most. */
  onTrouble(failure: Failure): void;
}

export interface OpenPipes {
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when what was written before this call is in the logs. */
  drained(): Promise<void>;
}

/** The runner's end of the scribe (see `main`), which is started when the first command needs it. */
export class Scribe {
  readonly #env: Record<string, string>;
  readonly #known = new Set<string>();
  readonly #waiting = new Map<number, (answer: FromScribe | undefined) => void>();
  readonly #troubled = new Map<number, (failure: Failure) => void>();
  #child: ChildProcess | undefined;
  #ids = 0;

  constructor(env: Environment) {
    const { PATH, TMPDIR } = env;
    this.#env = { PATH: `${PATH ?? ''}:/usr/bin:/bin`, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
  }

  async open({ secrets, stdoutFile, stderrFile, most, onTrouble }: ScribeWish): Promise<Result<OpenPipes, Failure>> {
    const id = ++this.#ids;
    this.#child ??= this.#spawn();
    const set = secrets.names.join(' ');
    if (!this.#known.has(set)) this.#tell({ do: 'know', set, marks: [...byteMarks(secrets)] });
    this.#known.add(set);
    const logs = [stdoutFile, stderrFile] as const;
    const answer = await this.#ask({ do: 'open', id, set, logs, ...(most === undefined ? {} : { most }) });
    if (answer?.say !== 'open') return err(answer?.say === 'trouble' ? failureOf(answer) : lost);
    this.#troubled.set(id, onTrouble);
    const [stdout, stderr] = answer.pipes;
    return ok({
      stdout,
      stderr,
      drained: async () => {
        // Nobody answers when it is lost, and that has been told.
        if (this.#troubled.has(id)) await this.#ask({ do: 'end', id });
        this.#troubled.delete(id);
      },
    });
  }

  /** It leaves when the last one who can write to it is gone, which may take longer than anybody wants to wait. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    await new Promise<void>((resolve) => {
      child.ref();
      (child.stdout as Socket).ref();
      child.on('exit', () => resolve());
      this.#waiting.set(0, () => resolve());
      child.stdin!.end();
    });
    child.unref();
    child.stdout!.destroy();
  }

  #ask(message: Exclude<ToScribe, { do: 'know' }>): Promise<FromScribe | undefined> {
    return new Promise((resolve) => {
      if (this.#child === undefined) return resolve(undefined);
      this.#waiting.set(message.id, resolve);
      (this.#child.stdout as Socket).ref();
      this.#tell(message);
    });
  }

  #tell(message: ToScribe): void {
    this.#child?.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #hear(message: FromScribe): void {
    if (message.say === 'trouble') this.#tellTrouble(message.id, failureOf(message));
    // Trouble after the start is told on its own; the command's end is answered all the same.
    const waits = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) (this.#child?.stdout as Socket | undefined)?.unref();
    waits?.(message);
  }

  #tellTrouble(id: number, failure: Failure): void {
    const told = this.#troubled.get(id);
    told?.(failure);
  }

  #lose(): void {
    this.#child = undefined;
    this.#known.clear();
    const [waiting, troubled] = [[...this.#waiting.values()], [...this.#troubled.values()]];
    this.#waiting.clear();
    this.#troubled.clear();
    for (const told of troubled) told(lost);
    for (const waits of waiting) waits(undefined);
  }

  /** In a session of its own, so that nothing that is meant for the commands or for us reaches it. */
  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [scribeFile()], {
      cwd: '/',
      env: this.#env,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const lose = (): void => {
      if (this.#child === child) this.#lose();
    };
    child.on('error', lose);
    child.on('exit', lose);
    child.stdin!.on('error', () => {});
    child.stdout!.setEncoding('utf8');
    child.stdout!.on(
      'data',
      lineReader<FromScribe>((message) => this.#hear(message)),
    );
    // What still runs keeps the program alive, not the one who stands by.
    child.unref();
    for (const stream of [child.stdin, child.stdout]) (stream as Socket).unref();
    return child;
  }
}

const lost: Failure = {
  code: 'command-not-started',
  detail: 'the process that keeps secrets out of the logs was lost',
};

const failureOf = ({ code, detail, file }: Extract<FromScribe, { say: 'trouble' }>): Failure =>
  diskError(Object.assign(new Error(detail), { code }), file).failure;

/** Beside the bundle, or in the one that was built where there is none. */
function scribeFile(): string {
  const beside = join(import.meta.dirname, 'scribe.cjs');
  return existsSync(beside) ? beside : join(import.meta.dirname, '../../../dist/scribe.cjs');
}
