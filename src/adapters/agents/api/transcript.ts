import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../model/json.js';
import type { Clock } from '../../../model/ports.js';
import type { Entry } from './history.js';
import type { Hide } from './secret.js';

/** The files of one call. Nothing gets into them with the key in it. */
export class Transcript {
  readonly #dir: string;
  readonly #clock: Clock;
  readonly #hide: Hide;

  constructor(dir: string, clock: Clock, hide: Hide) {
    this.#dir = dir;
    this.#clock = clock;
    this.#hide = hide;
  }

  prompt(text: string): void {
    writeFileSync(join(this.#dir, 'prompt.md'), this.#hide(text));
  }

  reply(reply: JsonObject): void {
    writeFileSync(join(this.#dir, 'reply.json'), this.#hide(`${JSON.stringify(reply, null, 2)}\n`));
  }

  entry(entry: Entry, helper: number | undefined): void {
    this.#line({ ...entry, ...(helper === undefined ? {} : { helper }) });
  }

  note(text: string): void {
    this.#line({ kind: 'note', text });
  }

  #line(data: object): void {
    const line = JSON.stringify({ at: new Date(this.#clock.now()).toISOString(), ...data });
    appendFileSync(join(this.#dir, 'events.jsonl'), `${this.#hide(line)}\n`);
  }
}
