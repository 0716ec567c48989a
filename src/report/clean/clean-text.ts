import type { Outcome } from '../../model/events/event.js';
import type { KeepReason } from '../../model/files/keep-reason.js';
import { bytesText } from '../words/bytes-text.js';
import { paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { symbols } from '../words/symbols.js';
import { timeAgo } from '../words/time-ago.js';

interface OldRun {
  readonly id: string;
  readonly state: { readonly outcome: Outcome } | undefined;
  readonly lastAt: number;
}

export interface CleanTextInput {
  readonly remove: readonly OldRun[];
  readonly spared: readonly { readonly run: OldRun; readonly why: KeepReason }[];
}

export interface CleanTextOptions {
  /** Run → bytes on disk. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly isDryRun: boolean;
  /** Which runs were meant: `all but the newest 10`. */
  readonly rule: string;
  readonly now: number;
  /** Nothing else is told to have been removed. */
  readonly isAlone: boolean;
  readonly color: boolean;
  readonly unicode?: boolean;
}

/** What `clean` removed, or would; what it would have been asked to remove and kept, and why. */
export function cleanText({ remove, spared }: CleanTextInput, options: CleanTextOptions): string {
  const p = paint(options.color);
  const s = symbols(options.unicode ?? true);
  const bytes = [...options.sizes.values()].reduce((sum, size) => sum + size, 0);
  const verb = options.isDryRun ? 'Would remove' : 'Removed';
  const head =
    remove.length === 0
      ? `${options.isAlone ? 'Nothing' : 'No run'} to remove (asked for: ${options.rule})`
      : `${verb} ${plural(remove.length, 'run')}, ${bytesText(bytes)} (asked for: ${options.rule})`;
  return `${[
    p.bold(head),
    ...remove.map(
      ({ id, state, lastAt }) =>
        `  ${s.failed} ${id}  ${p.dim(`${state?.outcome ?? 'never began'}, ${timeAgo(lastAt, options.now)}, ${bytesText(options.sizes.get(id) ?? 0)}`)}`,
    ),
    ...spared.map(({ run, why }) => `  ${s.cached} ${run.id}  ${p.dim(`kept: ${whyWords[why]}`)}`),
  ].join('\n')}\n`;
}

/** What `clean --sessions` ended, or would. */
export function endedSessionsText(names: readonly string[], isDryRun: boolean): string {
  if (names.length === 0) return 'No session is open\n';
  return `${isDryRun ? 'Would end' : 'Ended'} ${plural(names.length, 'session')}: ${names.join(', ')}\n`;
}

/** Total on purpose. */
const whyWords: Record<KeepReason, string> = {
  newest: 'it is the newest',
  'last-passed': 'it is the last that passed, or newer',
  waiting: 'it waits for a person',
  'in-use': 'it holds or made results that are still in use',
  unsure: 'its journal cannot be trusted, or it is a link; look at it and remove it by hand',
};

/** `1 vault and 2 pieces of evidence`. */
export const countedPlaces = (vaults: number, evidence: number): string =>
  [
    ...(vaults === 0 ? [] : [plural(vaults, 'vault')]),
    ...(evidence === 0 ? [] : [plural(evidence, 'piece of evidence', 'pieces of evidence')]),
  ].join(' and ');
