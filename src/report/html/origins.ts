import { lineOf } from '../history/run-facts.js';
import { countOf } from './count-of.js';
import { html } from './markup.js';
import type { Section } from './sources.js';
import { badge, digest, named, facts as pairs, table, wholeDigest } from './table.js';

/** What nobody may change, with the digests that it was held to. */
export const protection: Section = ({ state, entries, protectedFiles }, sources) => {
  const recorded = entries.findLast(({ type }) => type === 'protection-recorded');
  if (!state.protection || !recorded) return undefined;
  const { digest: whole, files, patterns } = state.protection;
  const list = protectedFiles
    ? table(
        ['file', 'sha256'],
        [...protectedFiles].map(([path, sum]) => [sources.link(path), wholeDigest(sum)]),
      )
    : html`<p>${badge('warn', 'not listed')} The vault that held the list is gone or is of a later run; the digest of the whole still stands in the journal.</p>`;
  return {
    id: 'protection',
    title: 'Protected files',
    body: html`<p>${sources.journal(String(files), recorded.seq + 1)} files and folders under ${named(patterns.join(', '))}; all of them together are ${digest(whole)}.</p>${list}`,
  };
};

/** What the run ran on and was told. */
export const environment: Section = (facts, sources) => {
  const starts = facts.entries.flatMap((entry) => (entry.type === 'run-started' ? [entry] : []));
  const [first] = starts;
  if (!first) return undefined;
  const { workspace, planDigest, settings } = facts.state;
  const { machine } = first;
  const looked = facts.entries.findLast(({ type }) => type === 'workspace-recorded');
  const told = (text: string) => (looked ? sources.journal(text, lineOf(looked)) : text);
  return {
    id: 'environment',
    title: 'Environment',
    body: html`${pairs([
      ['tool', sources.journal(`autoresearch ${first.tool}`, 1)],
      ['host', sources.journal(first.host, 1)],
      ...Object.entries(machine ?? {}).map(([name, value]) => [name, sources.journal(String(value), 1)] as const),
      ['plan', digest(planDigest)],
      ...(first.source
        ? [['config', html`${sources.link(first.source.file)} ${digest(first.source.digest)}`] as const]
        : []),
      ['commit', told(workspace?.problem ?? workspace?.commit ?? 'none')],
      ['branch', told(workspace?.branch ?? 'none')],
      ['changed files', told(workspace?.changedFiles === undefined ? 'not known' : String(workspace.changedFiles))],
      ...Object.entries(settings).map(([name, sum]) => [`settings: ${name}`, digest(sum)] as const),
    ])}${
      starts.length > 1 &&
      html`<h3>Went on ${countOf(sources, { what: 'times that the run went on', places: starts.slice(1).map((entry) => ({ line: lineOf(entry) })), one: 'time' })}</h3><ul>${starts
        .slice(1)
        .map(
          (entry) =>
            html`<li>${sources.time(entry.at, entry.seq + 1)}${entry.resumed && entry.resumed.changes.length > 0 && html`: ${sources.words(entry.resumed.changes.join('; '), { line: lineOf(entry) })}`}</li>`,
        )}</ul>`
    }`,
  };
};
