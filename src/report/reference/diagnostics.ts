import type { Address, LocatedDiagnostic, Place } from '../../model/diagnostic.js';
import { pointerLabel } from '../../model/pointer.js';
import { type Paint, paint } from '../words/paint.js';
import { listed, plural, shownPath } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';
import { sourceLine } from '../words/source-line.js';
import { type Painted, wrapPainted } from '../words/wrap-painted.js';

export interface DiagnosticsOptions {
  readonly color: boolean;
  /** Of the terminal: words go on in the next line, and longer source lines are cut around the place. */
  readonly width?: number;
  /** Absolute paths inside this folder are shown relative to it. */
  readonly cwd?: string;
}

/** All problems with their places, the underlined text and what to do, and how to learn more. */
export function diagnosticsText(diagnostics: readonly LocatedDiagnostic[], options: DiagnosticsOptions): string {
  if (diagnostics.length === 0) return '';
  const p = paint(options.color);
  const blocks = alike(diagnostics).map(({ diagnostic, more }) =>
    [
      ...block(diagnostic, options, p),
      ...(more > 0 ? [p.dim(`    … and ${more} more like it at this place`)] : []),
    ].join('\n'),
  );
  return `${blocks.join('\n\n')}\n\n${closing(diagnostics, p)}\n`;
}

/** One mistake in a stage with a matrix is made by each of its tasks: the first few of them say it all. */
function alike(diagnostics: readonly LocatedDiagnostic[]): readonly { diagnostic: LocatedDiagnostic; more: number }[] {
  const groups = new Map<string, LocatedDiagnostic[]>();
  for (const diagnostic of diagnostics) {
    const { code, hint, place } = diagnostic;
    const key = JSON.stringify([code, place ?? diagnostic.at, place?.line === undefined ? diagnostic.message : hint]);
    groups.set(key, [...(groups.get(key) ?? []), diagnostic]);
  }
  return [...groups.values()].flatMap((group) => {
    const shown = group.slice(0, group.length > mostAlike ? 1 : mostAlike);
    return shown.map((diagnostic) => ({ diagnostic, more: group.length - shown.length }));
  });
}

const mostAlike = 3;

/** Where a diagnostic points, in the form that editors and terminals can follow. */
export const placeText = ({ place, at }: LocatedDiagnostic, cwd?: string): string => whereText({ place, at }, cwd);

interface Spot {
  readonly message?: string;
  readonly place: Place | undefined;
  readonly at: Address | undefined;
}

function block(diagnostic: LocatedDiagnostic, options: DiagnosticsOptions, p: Paint): string[] {
  const spots = relatedSpots(diagnostic);
  // One gutter for all lines of a block, so that the bars stand under each other.
  const gutter = Math.max(
    3,
    ...[diagnostic.place, ...spots.map(({ place }) => place)].map((place) => String(place?.line ?? '').length + 1),
  );
  const where = placeText(diagnostic, options.cwd);
  const width = options.width ?? Number.POSITIVE_INFINITY;
  const head = [
    ...(where === '' ? [] : [{ text: where, paint: p.bold }]),
    { text: diagnostic.code, paint: p.red },
    { text: oneLine(diagnostic.message), paint: p.bold },
  ];
  const note = (label: Painted, text: string): string[] =>
    wrapPainted([label, { text, paint: plain }], width, { first: gutter + 1, rest: gutter + 1 });
  const lines = [
    ...wrapPainted(head, width, { first: 0, rest: 4 }),
    ...snippet(diagnostic.place, { gutter, options, p, paintMark: p.red }),
  ];
  for (const spot of spots) {
    const spotWhere = whereText(spot, options.cwd);
    const related = `${spotWhere === '' ? '' : `${spotWhere} `}${oneLine(spot.message ?? '')}`;
    lines.push(...note({ text: 'related:', paint: p.cyan }, related));
    lines.push(...snippet(spot.place, { gutter, options, p, paintMark: p.cyan }));
  }
  if (diagnostic.hint !== undefined) lines.push(...note({ text: 'hint:', paint: p.green }, oneLine(diagnostic.hint)));
  return lines;
}

const plain = (text: string): string => text;

function relatedSpots({ related = [], relatedPlaces }: LocatedDiagnostic): Spot[] {
  if (!relatedPlaces) return related.map(({ message, at }) => ({ message, place: undefined, at }));
  return relatedPlaces.map(({ message, place }, index) => ({ message, place, at: related[index]?.at }));
}

interface SnippetStyle {
  readonly gutter: number;
  readonly options: DiagnosticsOptions;
  readonly p: Paint;
  readonly paintMark: (text: string) => string;
}

function snippet(place: Place | undefined, { gutter, options, p, paintMark }: SnippetStyle): string[] {
  if (place?.line === undefined || place.text === undefined) return [];
  const { text, marks } = sourceLine(place.text, {
    column: place.column ?? 1,
    ...(place.endColumn === undefined ? {} : { endColumn: place.endColumn }),
    width: Math.max(20, (options.width ?? 100) - gutter - 3),
  });
  const bar = p.dim('|');
  return [
    `${p.dim(String(place.line).padStart(gutter))} ${bar} ${text}`.trimEnd(),
    ...(marks === '' ? [] : [`${' '.repeat(gutter)} ${bar} ${marks.replace(/\S+/, (mark) => paintMark(mark))}`]),
  ];
}

/** `file:12:3`, or `file (stages.train)` when the line is not known. */
function whereText({ place, at }: Spot, cwd: string | undefined): string {
  if (place?.line !== undefined) return `${shownPath(place.file, cwd)}:${place.line}:${place.column ?? 1}`;
  const pointer = place?.pointer ?? (at && 'pointer' in at ? at.pointer : undefined);
  const label = pointer === undefined || pointer === '' ? '' : pointerLabel(pointer);
  const file = place?.file ?? (at?.kind === 'file' ? at.file : undefined);
  if (file !== undefined) return `${shownPath(file, cwd)}${label === '' ? '' : ` (${label})`}`;
  if (at?.kind === 'argument') return `command line (${oneLine(at.argument)})`;
  return at?.kind === 'config' ? `config${label === '' ? '' : ` (${label})`}` : '';
}

function closing(diagnostics: readonly LocatedDiagnostic[], p: Paint): string {
  const [first = '', ...others] = new Set(diagnostics.map(({ code }) => code));
  const also = others.length === 0 ? '' : ` (also ${listed(others, 5)})`;
  return `${p.bold(`${plural(diagnostics.length, 'problem')}.`)} Run ${p.cyan(`autoresearch explain ${first}`)} for more${also}.`;
}

/** Messages quote what stands in files, so they are not trusted either. */
const oneLine = (text: string): string => plainLine(text.trim().replace(/\s*\n\s*/g, ' '));
