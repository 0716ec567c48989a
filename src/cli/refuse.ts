import type { LocatedDiagnostic } from '../model/diagnostic.js';
import { exitCode } from '../model/exit-code.js';
import { diagnosticsText } from '../report/diagnostics.js';
import type { CliContext } from './context.js';

/** Says what is wrong with the words; nothing was run. */
export function refuse(diagnostics: readonly LocatedDiagnostic[], context: CliContext): number {
  context.stderr.write(diagnosticsText(diagnostics, { color: context.stderr.color }));
  return exitCode.usage;
}
