import { exitCode } from '../model/exit-code.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { CliContext } from './context.js';
import { refuse } from './refuse.js';

interface Listing {
  readonly noun: string;
  readonly names: readonly string[];
  summary(name: string): string;
  show(name: string): string;
}

/** `presets [list|show NAME]`, `stages [list|show NAME]`. */
export async function listOrShow(context: CliContext, { noun, names, summary, show }: Listing): Promise<number> {
  const [verb = 'list', name] = context.positionals;
  if (verb === 'list' && name === undefined) {
    const width = Math.max(...names.map((known) => known.length));
    for (const known of names) context.stdout.write(`${known.padEnd(width)}  ${summary(known)}\n`);
    return exitCode.passed;
  }
  if (verb === 'show' && name !== undefined && names.includes(name)) {
    context.stdout.write(show(name));
    return exitCode.passed;
  }
  const argument = verb === 'show' && name !== undefined ? name : verb;
  const message =
    verb === 'show' && name !== undefined ? `there is no ${noun} "${name}"` : 'this takes "list" or "show NAME"';
  const hint = didYouMean(argument, [...names, 'list', 'show']) ?? `The ${noun}s are ${names.join(', ')}`;
  return refuse([{ code: 'AR604', message, at: { kind: 'argument', argument }, hint }], context);
}
