import type { AgentRequest } from '../../../model/agents/agent.js';
import type { JsonObject } from '../../../model/json.js';
import type { Clock } from '../../../model/ports.js';
import { redact } from '../../../model/secrets/redact.js';
import { readable } from '../../../run/errors/said-lines.js';
import type { ReplyFile } from '../command/reply-file.js';
import type { PaneLook, Tmux } from './tmux.js';

/** How a question to a terminal ended. */
export type PaneEvent =
  | { readonly kind: 'replied'; readonly reply: JsonObject }
  /** There is a file, but no JSON object in it. */
  | { readonly kind: 'garbage' }
  | { readonly kind: 'ended'; readonly detail: string; readonly missing: boolean };

export interface TmuxWatchOptions {
  readonly tmux: Tmux;
  readonly clock: Clock;
  readonly pane: string;
  readonly request: AgentRequest;
  /** Nothing is typed any more once this is aborted. */
  readonly over: AbortSignal;
  readonly idleMs?: number;
  onIdle(): void;
}

/** One question to one pane: types it, and looks on until the reply is there. */
export class TmuxWatch {
  readonly #options: TmuxWatchOptions;
  #said = '';

  constructor(options: TmuxWatchOptions) {
    this.#options = options;
  }

  /**
   * Waits until the screen rests: programs throw away what is typed before they are ready. One that shows nothing, or
   * never rests, is not waited for long.
   */
  async settled(fresh: boolean): Promise<void> {
    const { tmux, pane, over } = this.#options;
    const patience = fresh ? { empty: 20, moving: 70 } : { empty: 2, moving: 20 };
    let before: string | undefined;
    for (let turn = 0; turn < patience.moving && !over.aborted; turn += 1) {
      const look = await tmux.look(pane);
      if (!look || look.end) return;
      const isEmpty = look.text.trim() === '';
      if (look.text === before && (!isEmpty || turn >= patience.empty)) return;
      before = look.text;
      await this.#wait(settleMs);
    }
  }

  /** False when it was over before the line was sent. */
  async say(line: string): Promise<boolean> {
    const { tmux, pane, over } = this.#options;
    await tmux.type(pane, line);
    // Many terminal programs take an Enter that comes with the text for a part of something pasted.
    await this.#wait(enterMs);
    if (over.aborted) return false;
    await tmux.press(pane, 'Enter');
    return true;
  }

  /** Undefined when it was over first. */
  async answer(file: ReplyFile): Promise<PaneEvent | undefined> {
    const { clock, over, idleMs = Number.POSITIVE_INFINITY, onIdle } = this.#options;
    const lookEveryMs = Math.min(paneMs, idleMs / 4);
    const everyMs = Math.min(fileMs, lookEveryMs);
    let [screen, quietMs, sinceLookMs, lastAt] = ['', 0, 0, clock.now()];
    while (!over.aborted) {
      await this.#wait(everyMs);
      // A machine that slept did not see the program be quiet in that time.
      const passedMs = Math.min(Math.max(clock.now() - lastAt, 0), 2 * everyMs + paneMs);
      lastAt = clock.now();
      sinceLookMs += passedMs;
      quietMs += passedMs;
      const found = file.look(lastAt);
      if (sinceLookMs < lookEveryMs && (found.kind === 'none' || found.kind === 'growing')) continue;
      sinceLookMs = 0;
      const look = await this.#look();
      if (!look || look.end) return this.#ended(look, file);
      if (found.kind === 'whole') return { kind: 'replied', reply: found.reply };
      if (found.kind === 'garbage') return { kind: 'garbage' };
      if (look.text !== screen || found.kind === 'growing') quietMs = 0;
      screen = look.text;
      this.#tell(screen);
      if (quietMs >= idleMs) onIdle();
    }
    return undefined;
  }

  /** After the end tmux may not know yet how it was. */
  async #look(): Promise<PaneLook | undefined> {
    const { tmux, pane } = this.#options;
    for (let turn = 0; ; turn += 1) {
      const look = await tmux.look(pane);
      const isKnown = !look?.end || look.end.exitCode !== undefined || look.end.signal !== undefined;
      if (isKnown || turn >= mostEndLooks) return look;
      await this.#wait(endMs);
    }
  }

  /** A reply by a program that then fails is no reply; one by a program that is content and leaves is. */
  #ended(look: PaneLook | undefined, file: ReplyFile): PaneEvent {
    const now = this.#options.clock.now();
    file.look(now);
    const last = file.look(now);
    if (last.kind === 'whole' && look?.end?.exitCode === 0) return { kind: 'replied', reply: last.reply };
    const run = this.#options.request.agent.run ?? '';
    if (!look?.end) return { kind: 'ended', missing: false, detail: redact(`${run}: its tmux session was closed`) };
    const { exitCode, signal } = look.end;
    const how = signal === undefined ? `exit code ${exitCode ?? 'unknown'}` : `signal ${signal}`;
    const lines = readable(redact(look.text).split('\n')).filter((line) => !/^Pane is dead /.test(line));
    const detail = [`${redact(run)} ended (${how})`, ...lines.slice(-mostLines)].join('\n');
    return { kind: 'ended', missing: exitCode === 127, detail };
  }

  #tell(screen: string): void {
    const line = readable(redact(screen).split('\n')).at(-1) ?? '';
    if (line === '' || line === this.#said) return;
    this.#said = line;
    this.#options.request.said(line);
  }

  #wait(ms: number): Promise<void> {
    const { clock, over } = this.#options;
    if (over.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        over.removeEventListener('abort', done);
        resolve();
      };
      const cancel = clock.after(ms, done);
      over.addEventListener('abort', done);
    });
  }
}

const settleMs = 150;
const enterMs = 250;
const fileMs = 200;
const paneMs = 1000;
const endMs = 50;
const mostEndLooks = 40;
const mostLines = 8;
