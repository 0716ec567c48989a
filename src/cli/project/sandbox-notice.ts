import type { Diagnostic } from '../../model/diagnostic.js';
import { pointerOf } from '../../model/pointer.js';
import type { CliContext } from '../context.js';
import type { Project } from './open-project.js';

/** What `sandbox: bwrap` asks for and this machine does not have. */
export async function sandboxProblems({ resolved }: Project, context: CliContext): Promise<readonly Diagnostic[]> {
  if (resolved.config.sandbox !== 'bwrap' || context.flag('replay')) return [];
  const found = await (await import('../../adapters/sandbox/sandbox-level.js')).sandboxLevel(context.env);
  if (found.level === 'bwrap') return [];
  return [
    {
      code: 'AR329',
      message: `agents are to be held in by bubblewrap, but ${found.why}`,
      at: { kind: 'config', pointer: pointerOf('sandbox') },
      hint: 'Install it (Debian: apt-get install bubblewrap), or write sandbox: auto',
    },
  ];
}
