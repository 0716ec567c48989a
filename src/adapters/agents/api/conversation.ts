import type { JsonObject } from '../../../model/json.js';
import { printable } from '../../command/printable.js';
import { CallEnd, ToolRefusal } from './call-end.js';
import type { CallWatch } from './call-watch.js';
import type { ChatLine } from './chat-line.js';
import { bounded, type Entry, type ToolCall } from './history.js';
import { correction } from './instructions.js';
import { readCalls } from './read-calls.js';
import { type Hide, hideIn } from './secret.js';
import { Stuck } from './stuck.js';
import { cutText } from './tool.js';
import type { ToolBox } from './tool-box.js';
import type { Transcript } from './transcript.js';

/** What all conversations of one call share. */
export interface Room {
  readonly line: ChatLine;
  readonly watch: CallWatch;
  readonly transcript: Transcript;
  readonly hide: Hide;
  newId(): string;
  said(text: string): void;
}

export interface Talk {
  readonly tools: ToolBox;
  readonly steps: number;
  /** The number of the helper whose conversation this is. */
  readonly helper?: number;
}

/** One conversation with the model, until it hands in an answer or something ends it. */
export class Conversation {
  readonly #room: Room;
  readonly #talk: Talk;
  readonly #stuck = new Stuck();
  #history: Entry[];
  #steps = 0;

  constructor(room: Room, talk: Talk, history: readonly Entry[]) {
    this.#room = room;
    this.#talk = talk;
    this.#history = [...history];
  }

  /** Every call in it has its result, however the conversation ended. */
  get history(): readonly Entry[] {
    return this.#history;
  }

  get steps(): number {
    return this.#steps;
  }

  /** The arguments of `finish`. Throws a `CallEnd` for every other end. */
  async run(prompt: string): Promise<JsonObject> {
    this.#add({ kind: 'user', text: prompt });
    const { line, watch } = this.#room;
    for (let wrong = 0; ; ) {
      if (this.#steps >= this.#talk.steps)
        throw new CallEnd('max-turns', `it was not done after ${this.#talk.steps} steps`);
      watch.beginStep();
      this.#history = bounded(this.#history);
      const turn = { history: this.#history, tools: this.#talk.tools, wrong };
      line.admit(turn);
      this.#steps += 1;
      const message = await line.ask(turn);
      const read = readCalls(message, { ...this.#room, form: line.form, tools: this.#talk.tools });
      if (!read.ok) {
        wrong += 1;
        this.#correct(read, wrong);
        continue;
      }
      wrong = 0;
      const answer = await this.#carryOut(read.text, read.calls);
      watch.check();
      if (answer) return answer;
    }
  }

  #correct({ text, wrong }: { readonly text: string; readonly wrong: string }, tries: number): void {
    // A call that is not JSON would trip servers that read what they are sent, so only the text is kept.
    this.#add({
      kind: 'assistant',
      text: text === '' ? '[a message in the wrong form]' : cutText(text, 4000),
      calls: [],
    });
    this.#say(`a message in the wrong form: ${wrong}`);
    if (tries >= mostWrong)
      throw new CallEnd('crashed', `${tries} messages in a row could not be used; the last: ${wrong}`);
    this.#add({ kind: 'user', text: correction(wrong, tries, this.#room.line.form) });
  }

  async #carryOut(text: string, calls: readonly ToolCall[]): Promise<JsonObject | undefined> {
    this.#add({ kind: 'assistant', text, calls });
    let answer: JsonObject | undefined;
    let done = 0;
    try {
      for (const call of calls) {
        const result = answer ? 'not done: the work is finished' : await this.#carryOutOne(call);
        if (call.tool === 'finish') answer ??= call.args;
        this.#result(call, result);
        done += 1;
      }
    } finally {
      for (const call of calls.slice(done)) this.#result(call, 'not done: the work was ended');
    }
    return answer;
  }

  async #carryOutOne(call: ToolCall): Promise<string> {
    this.#room.watch.check();
    const tool = this.#talk.tools.get(call.tool)!;
    const turning = this.#stuck.note(call);
    if (turning === 'looping')
      throw new CallEnd('looping', `it repeats itself: ${call.tool} ${brief(tool.about(call.args))}`);
    this.#say(`${call.tool} ${tool.about(call.args)}`);
    let result: string;
    try {
      result = cutText(await tool.run(call.args));
    } catch (error) {
      result = `error: ${this.#refused(error, call.tool)}`;
    }
    return turning === 'warn' ? `${result}\n${turningWarning}` : result;
  }

  /** What the disk says is news for the model too; anything else is a bug of ours. */
  #refused(error: unknown, tool: string): string {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (!(error instanceof ToolRefusal) && (typeof code !== 'string' || syscall === undefined)) throw error;
    const words = error instanceof ToolRefusal ? error.message : (diskWords[code!] ?? `the system says ${code}`);
    this.#say(`refused: ${tool}: ${words}`);
    return words;
  }

  #result({ id, tool }: ToolCall, text: string): void {
    const left = this.#talk.steps - this.#steps;
    const hint = left <= 2 && tool !== 'finish' ? `\n[${left} steps left; call "finish" in time]` : '';
    this.#add({ kind: 'result', call: id, tool, text: `${text}${hint}` });
  }

  #add(raw: Entry): void {
    const entry = hideIn(this.#room.hide, raw) as Entry;
    this.#history.push(entry);
    this.#room.transcript.entry(entry, this.#talk.helper);
  }

  #say(text: string): void {
    const { helper } = this.#talk;
    this.#room.said(brief(`${helper === undefined ? '' : `helper ${helper}: `}${text}`));
  }
}

const mostWrong = 3;

const turningWarning =
  '[warning: you repeat the same calls with the same arguments. The results will not change. Do something else, or call "finish". The next repetition ends the work.]';

const diskWords: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is not a folder',
  ELOOP: 'it is a symbolic link',
  EACCES: 'it may not be touched',
  ENAMETOOLONG: 'the path is too long',
  ENOSPC: 'the disk is full',
};

const brief = (text: string): string => {
  const line = printable(text.replace(/\s+/g, ' ')).trim();
  return line.length > 160 ? `${line.slice(0, 160)} …` : line;
};
