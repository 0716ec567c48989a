import type { AgentAnswer, AgentRequest, AgentTrouble } from '../../../model/agents/agent.js';
import type { Failure } from '../../../model/failure.js';
import type { Price } from '../../../model/generated/config.js';

/**
 * How one coding CLI is spoken to. A dialect starts nothing and writes no file: `CliAgent` runs the program, watches the
 * limits and hands over the lines.
 */
export interface CliDialect {
  /** What is looked for on the `PATH`. */
  readonly program: string;
  /** The runner's variables that it needs: keys, addresses, its own folders. A `*` at the end stands for any letters. */
  readonly variables: readonly string[];
  /** Why it must not be asked this here, in words; absent or undefined when it may. */
  refuse?(request: AgentRequest): string | undefined;
  invoke(request: AgentRequest, files: CallFiles): CliInvocation;
  reader(request: AgentRequest, around: ReaderAround): CliReader;
}

/** What a reader may need to know besides the question. */
export interface ReaderAround {
  /** As the program sees it. */
  readonly env: { readonly [name: string]: string };
  /** Of the model, where the config has one. */
  readonly price?: Price;
}

/** The files of one call; all absolute. */
export interface CallFiles {
  readonly dir: string;
  /** The prompt; it is also what the program finds on its standard input. */
  readonly prompt: string;
  /** What the program prints, line by line. */
  readonly events: string;
  readonly stderr: string;
}

export interface CliInvocation {
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** Files to write before the start, such as a schema or settings: absolute path → content. */
  readonly files?: { readonly [path: string]: string };
}

/** Makes sense of what one call printed. */
export interface CliReader {
  /** One whole line, while the program still runs. */
  line(text: string): LineNews;
  /** Now and then while it runs, where lines do not tell everything in time. */
  look?(): LineNews;
  /** When it has ended; every line has been handed over. */
  end(end: CliEnd): AgentAnswer;
}

export interface LineNews {
  /** For people who watch. */
  readonly said?: string;
  /** A limit that the program does not keep by itself has been crossed: it is ended now. */
  readonly overrun?: { readonly why: AgentTrouble; readonly detail: string };
}

export interface CliEnd {
  /** How it ended: absent after exit code 0. Time limits and a stop from outside are told here too. */
  readonly failure?: Failure;
  /** The same in words. */
  readonly words?: string;
  /** The end of what it wrote on its standard error. */
  readonly stderr: string;
  /** Set when it was ended because of what `line` found. */
  readonly overrun?: LineNews['overrun'];
}
