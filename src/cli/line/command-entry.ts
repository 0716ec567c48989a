import type { CliContext } from '../context.js';

/** One command, as data: parsing, `--help` and docs/cli.md all come from here. */
export interface CommandEntry {
  readonly summary: string;
  /** Positional arguments: `TASK`, `[TASK]`, `[STAGE…]`. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, OptionEntry>>;
  /** Loaded only when the command is used. */
  load(): Promise<{ run(context: CliContext): Promise<number> }>;
}

export interface OptionEntry {
  readonly summary: string;
  /** What the value stands for; an option without one is a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  /** Several values, by commas, repetition or as the words that follow. */
  readonly list?: boolean;
  /** May be given more than once. */
  readonly repeat?: boolean;
}
