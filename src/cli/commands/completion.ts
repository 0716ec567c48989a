import type { Diagnostic } from '../../model/diagnostic.js';
import { exitCode } from '../../model/exit-code.js';
import { didYouMean } from '../../source/did-you-mean.js';
import { scripts } from '../completion/scripts.js';
import type { CliContext } from '../context.js';
import { refuse } from '../refuse.js';

/** Prints a script for a shell, or what fits in a place of the command line: the scripts ask for that. */
export async function run(context: CliContext): Promise<number> {
  if (context.flag('offer')) return offer(context);
  const [shell, more] = context.positionals;
  if (shell === undefined || more !== undefined) return refuse([unclear(more ?? 'completion')], context);
  const script = Object.hasOwn(scripts, shell) ? scripts[shell as keyof typeof scripts] : undefined;
  if (script === undefined) return refuse([unknownShell(shell)], context);
  context.stdout.write(script);
  return exitCode.passed;
}

/** A line for each: the value, a tab, what it is about. `:files` and `:folders` say that paths fit too. */
async function offer(context: CliContext): Promise<number> {
  const [{ offersFor }, { namesFor }, { contextOfWords }] = await Promise.all([
    import('../completion/offers.js'),
    import('../completion/names.js'),
    import('../completion/typed-context.js'),
  ]);
  const words = context.positionals;
  const { offers, paths } = await offersFor(words, namesFor(contextOfWords(words, context)));
  const lines = offers.map(({ value, about }) => `${value}\t${oneLine(about ?? '')}\n`);
  context.stdout.write(`${lines.join('')}${paths === undefined ? '' : `:${paths}\n`}`);
  return exitCode.passed;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100);

const unclear = (argument: string): Diagnostic => ({
  code: argument === 'completion' ? 'AR603' : 'AR604',
  message: argument === 'completion' ? 'completion needs a shell' : `completion does not take "${argument}"`,
  at: { kind: 'argument', argument },
  hint: 'Write: autoresearch completion bash, zsh or fish',
});

const unknownShell = (shell: string): Diagnostic => ({
  code: 'AR604',
  message: `there are completions for bash, zsh and fish, not for "${shell}"`,
  at: { kind: 'argument', argument: shell },
  ...hintFor(shell),
});

function hintFor(shell: string): { readonly hint?: string } {
  const hint = didYouMean(shell, Object.keys(scripts));
  return hint === undefined ? {} : { hint };
}
