import type { LocatedDiagnostic } from '../model/diagnostic.js';
import { exitCode } from '../model/exit-code.js';
import type { CliContext } from './context.js';

/** Says what is wrong with the words; nothing was run. */
export async function refuse(
  diagnostics: readonly LocatedDiagnostic[],
  context: Pick<CliContext, 'stderr'>,
): Promise<number> {
  const { diagnosticsText } = await import('../report/diagnostics.js');
  context.stderr.write(diagnosticsText(diagnostics, { color: context.stderr.color }));
  return exitCode.usage;
}
