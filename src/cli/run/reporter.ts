import type { Reporter } from '../../model/ports.js';
import type { CliContext } from '../context.js';

/** The view that fits: what was asked for, the tree at a terminal, plain lines anywhere else. */
export async function chooseReporter(context: CliContext): Promise<Reporter> {
  const name = context.flag('json') ? 'json' : (context.value('reporter') ?? (context.stdout.isTty ? 'tree' : 'plain'));
  const target = {
    ...context.stdout,
    unicode: knowsUnicode(context),
  };
  if (name === 'json') return new (await import('../../report/live/reporter-json.js')).JsonReporter(target);
  if (name === 'silent' || context.quiet)
    return new (await import('../../report/live/reporter-silent.js')).SilentReporter();
  if (name === 'tree') return new (await import('../../report/live/reporter-tree.js')).TreeReporter(target);
  return new (await import('../../report/live/reporter-plain.js')).PlainReporter(target, { verbose: context.verbose });
}

export const knowsUnicode = ({ env }: Pick<CliContext, 'env'>): boolean =>
  /utf-?8/i.test(env.LC_ALL ?? env.LC_CTYPE ?? env.LANG ?? 'UTF-8');
