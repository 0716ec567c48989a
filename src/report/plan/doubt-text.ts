import type { LocatedDiagnostic } from '../../model/diagnostic.js';
import { placeText } from '../reference/diagnostics.js';
import { paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';
import { symbols } from '../words/symbols.js';

const mostDoubts = 8;

/** What `exec` goes ahead with although it may not be meant: one line each. */
export function doubtLines(
  doubts: readonly LocatedDiagnostic[],
  { color, unicode, cwd }: { readonly color: boolean; readonly unicode: boolean; readonly cwd: string },
): string {
  const p = paint(color);
  const s = symbols(unicode);
  const line = (doubt: LocatedDiagnostic): string => {
    const where = placeText(doubt, cwd);
    return p.yellow(plainLine(`${s.warning} ${where === '' ? '' : `${where} `}${doubt.code} ${doubt.message}`));
  };
  const more = doubts.length - mostDoubts;
  return `${[
    ...doubts.slice(0, mostDoubts).map(line),
    ...(more > 0 ? [p.yellow(`${s.warning} ${plural(more, 'more doubt')}: autoresearch plan`)] : []),
  ].join('\n')}\n`;
}
