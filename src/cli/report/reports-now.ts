import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { secretsOf } from '../../model/secrets/secrets.js';
import type { RunFacts } from '../../report/history/run-facts.js';
import { executionRecord } from '../../report/record/execution.js';
import { executionText } from '../../report/record/execution-text.js';
import type { CliContext } from '../context.js';
import { resolveFor } from '../project/open-project.js';
import { type ReportedRun, runFacts } from './facts.js';
import { loopOfRun } from './loop-of-run.js';
import { ownText, recordJson } from './write-record.js';

declare const __VERSION__: string;

export interface ReportNow {
  readonly file: string;
  /** What journal and results make otherwise, in words. */
  readonly differs?: string;
  /** It could not be held against results that are no longer there: whose place another iteration has taken, in words. */
  readonly apart?: string;
}

/** Makes what is written about a run once more, in memory, and holds it against what is there. */
export async function reportsNow(
  context: CliContext,
  run: Omit<ReportedRun, 'context' | 'secrets' | 'known' | 'loop'>,
  madeAnew: (path: string) => string | undefined,
): Promise<readonly ReportNow[]> {
  const resolved = await resolveFor(context);
  const config = resolved.ok ? resolved.value.config : undefined;
  const secrets = secretsOf({ ...context.env }, config?.secrets);
  const alone = runFacts({ ...run, context, secrets });
  const template = config?.report?.template;
  const there = (file: string): string | undefined => textOf(join(run.dir, file));
  const factsAt = async (lines: number | undefined): Promise<RunFacts> => ({
    ...alone,
    ...(await loopOfRun({ ...run, context }, lines)),
  });
  const record = executionRecord(await factsAt(linesInRecord(there('execution.json'))));
  const page = async (): Promise<string> =>
    (await import('../../report/html/page.js')).reportPage(
      await factsAt(linesInPage(there('report.html'))),
      context.progress,
    );
  const made: { readonly [file: string]: () => Promise<string | undefined> } = {
    'execution.json': async () => `${JSON.stringify(recordJson(record), null, 2)}\n`,
    'execution.md': async () => {
      const own = template === undefined ? {} : await ownText(record, resolve(run.root, template));
      if (own.text !== undefined) return own.text;
      const text = await executionText(record);
      return text.ok ? text.value : undefined;
    },
    'report.html': page,
  };
  const found: ReportNow[] = [];
  const others = [...alone.files.values()].flatMap(({ path, isChanged }) => {
    const anew = isChanged ? madeAnew(path) : undefined;
    return anew === undefined ? [] : [`${path}, made anew since by ${anew}`];
  });
  const apart = others.length === 0 ? undefined : others.join('; ');
  const begun = run.entries.findLast((entry) => entry.type === 'run-started');
  const isOther = begun?.type !== 'run-started' || begun.tool !== __VERSION__;
  const noVault = run.state.protection && !alone.protectedFiles;
  const without = (text: string): string => withoutNotes(noVault ? withoutVault(text) : text);
  for (const [file, make] of Object.entries(made)) {
    const text = there(file);
    // Another version has other words for the same data.
    if (text === undefined || (isOther && !file.endsWith('.json'))) continue;
    const [written, now] = [without(text), without((await make()) ?? '')];
    const isSame = written === now;
    const differs = isSame ? undefined : difference(file, written, now, apart !== undefined);
    const isApart = !isSame && differs === undefined && apart !== undefined;
    found.push({ file, ...(differs === undefined ? {} : { differs }), ...(isApart ? { apart } : {}) });
  }
  return found;
}

/**
 * The record of a loop grows after its runs have ended: how much of it there was when something was written is said there. Where it is not
 * said, all of it is meant.
 */
function linesInRecord(text: string | undefined): number | undefined {
  try {
    const { loop } = JSON.parse(text ?? '') as { readonly loop?: { readonly lines?: number } | null };
    return loop?.lines;
  } catch {
    return undefined;
  }
}

function linesInPage(page: string | undefined): number | undefined {
  const said = /<p data-lines="(\d+)"/.exec(page ?? '')?.[1];
  return said === undefined ? undefined : Number(said);
}

/** That a result was changed since is a finding of its own, and no mistake of a page that was written before. */
const withoutNotes = (page: string): string => page.replace(/<div class="changed" role="note">.*?<\/div>/gs, '');

/** The one part that comes from the vault, which is not where a run was restored. */
const withoutVault = (page: string): string => page.replace(/<section id="protection">.*?<\/section>/s, '');

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** `isApart`: results that it was made from are no longer there. */
function difference(file: string, written: string, now: string, isApart: boolean): string | undefined {
  if (!file.endsWith('.json')) return isApart ? undefined : lineDifference(written, now);
  try {
    const told = (text: string): Json => (isApart ? withoutResults(JSON.parse(text) as JsonObject) : JSON.parse(text));
    return valueDifference(told(written), told(now), '');
  } catch {
    return 'it cannot be read';
  }
}

/** What the journal alone tells. */
const withoutResults = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !ofResults.has(name)));

const ofResults: ReadonlySet<string> = new Set([
  ...['monitoring', 'validations', 'verifications', 'reviews', 'status', 'reason', 'return'],
]);

/** Fields are only ever added: what a later version tells besides was no mistake then. */
function valueDifference(written: Json, now: Json | undefined, at: string): string | undefined {
  if (Array.isArray(written) && Array.isArray(now) && written.length === now.length)
    return first(written.map((item, index) => valueDifference(item, now[index] as Json, `${at}[${index}]`)));
  if (isJsonObject(written) && isJsonObject(now as Json))
    return first(
      Object.entries(written).map(([key, value]) =>
        valueDifference(value as Json, (now as { [key: string]: Json })[key], at === '' ? key : `${at}.${key}`),
      ),
    );
  if (JSON.stringify(written) === JSON.stringify(now)) return undefined;
  return `${at} is ${shown(written)}, and journal and results make ${shown(now)} of it`;
}

const first = (found: readonly (string | undefined)[]): string | undefined => found.find((one) => one !== undefined);

function lineDifference(written: string, now: string): string {
  const [there, made] = [written.split('\n'), now.split('\n')];
  const at = there.findIndex((line, index) => line !== made[index]);
  if (at === -1) return `it ends after line ${there.length}, before all is told`;
  return `line ${at + 1} is not what journal and results make of it: ${cut(there[at]!.trim())}`;
}

const shown = (value: Json | undefined): string => cut(JSON.stringify(value) ?? 'nothing');
const cut = (text: string): string => (text.length <= 100 ? text : `${text.slice(0, 99)}…`);
