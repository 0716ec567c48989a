import { openTerminal, type Terminal } from '../../adapters/person/key-press.js';
import type { Param } from '../../model/generated/params.js';
import type { PresetFacts } from '../../model/preset-facts.js';
import { displayWidth } from '../../report/words/text-width.js';
import { wrapText } from '../../report/words/wrap-text.js';
import { nearest } from '../../source/did-you-mean.js';
import type { CliContext } from '../context.js';
import { readParam } from './read-param.js';

/** Somebody sits there and can answer. */
export const canAsk = ({ stdout, stderr, quiet }: CliContext): boolean =>
  stdout.isTty && stderr.isTty && process.stdin.isTTY === true && !quiet;

export interface Choice {
  readonly name: string;
  readonly summary: string;
}

/** Undefined: no more answers can come, so nothing is written. */
type Answer<Value> = Promise<Value | undefined>;

export class Questions {
  readonly #context: CliContext;
  readonly #terminal: Terminal;
  readonly #never = new AbortController().signal;

  constructor(context: CliContext, terminal = openTerminal(process.stdin, process.stdout)) {
    this.#context = context;
    this.#terminal = terminal;
  }

  /** The name of a preset, or `none`. */
  async preset(presets: readonly Choice[]): Answer<{ readonly preset?: string }> {
    const choices = [{ name: 'none', summary: 'a small example that runs at once, to learn from' }, ...presets];
    const width = Math.max(...choices.map(({ name }) => name.length));
    const lines = choices.map(({ name, summary }, index) =>
      this.#wrapped(summary, `  ${`${index + 1}`.padStart(2)}  ${name.padEnd(width)}  `),
    );
    this.#say(`What should the study start from?\n\n${lines.join('')}\n`);
    for (;;) {
      const said = await this.#line('Number or name [1]: ');
      if (said === undefined) return undefined;
      const chosen =
        said === '' ? choices[0] : (choices[Number(said) - 1] ?? choices.find(({ name }) => name === said));
      if (chosen) return chosen.name === 'none' ? {} : { preset: chosen.name };
      const near = nearest(
        said,
        choices.map(({ name }) => name),
      );
      this.#say(
        near === undefined ? `  There is no "${said}" here.\n` : `  There is no "${said}". Did you mean "${near}"?\n`,
      );
    }
  }

  /** The values of parameters that have no default; one that nobody knows yet stays open. */
  async params(
    { entry, params }: PresetFacts,
    known: { readonly [name: string]: unknown },
  ): Answer<{ readonly [name: string]: unknown }> {
    const open = Object.entries(params).filter(
      ([name, { default: usual }]) => usual === undefined && !Object.hasOwn(known, name),
    );
    if (open.length === 0) return {};
    const count = open.length === 1 ? 'one parameter' : `${open.length} parameters`;
    this.#say(`\n${entry} needs ${count}. Enter leaves one open, to be filled in later.\n`);
    const values: Record<string, unknown> = {};
    for (const [name, param] of open) {
      this.#say(`\n${this.#wrapped(param.description, `${name}: `)}${this.#hints(param)}`);
      for (;;) {
        const said = await this.#line(`${name} = `);
        if (said === undefined) return undefined;
        if (said === '') break;
        const read = await readParam(name, param, said);
        if (read.ok) {
          values[name] = read.value;
          break;
        }
        this.#say(`  ${read.error}\n`);
      }
    }
    return values;
  }

  /** What was answered is apart from what follows. */
  end(): void {
    this.#say('\n');
  }

  #hints({ enum: choices, example }: Param): string {
    if (choices) return `  One of ${choices.join(', ')}.\n`;
    if (example === undefined) return '';
    return `  Such as ${Array.isArray(example) ? example.join(', ') : example}\n`;
  }

  /** The text after a beginning, and below it where it does not fit into one line. */
  #wrapped(text: string, start: string): string {
    const room = Math.max(20, Math.min(120, this.#context.stdout.columns()) - displayWidth(start) - 1);
    const lines = wrapText(text.trim().replace(/\s+/g, ' '), room);
    return `${start}${lines.join(`\n${' '.repeat(displayWidth(start))}`)}\n`;
  }

  async #line(prompt: string): Promise<string | undefined> {
    return (await this.#terminal.line(prompt, this.#never))?.trim();
  }

  #say(text: string): void {
    this.#context.stdout.write(text);
  }
}
