import type { LocatedDiagnostic } from '../model/diagnostic.js';
import { exitCode } from '../model/exit-code.js';
import type { CliContext } from './context.js';

/** Says what is wrong with the words; nothing was run. */
export async function refuse(
  diagnostics: readonly LocatedDiagnostic[],
  context: Pick<CliContext, 'stderr' | 'env'>,
): Promise<number> {
  const [{ diagnosticsText }, { secretsOf }] = await Promise.all([
    import('../report/reference/diagnostics.js'),
    import('../model/secrets/secrets.js'),
  ]);
  // The line that a mistake is in is shown, and may hold more than the mistake.
  const { color, isTty } = context.stderr;
  const text = diagnosticsText(diagnostics, { color, ...(isTty ? { width: context.stderr.columns() } : {}) });
  context.stderr.write(secretsOf({ ...context.env }).hideValues(text));
  return exitCode.usage;
}
