import { formatDuration } from '../../model/duration.js';
import type { SessionReplaced } from '../../model/events/agent-event.js';
import type { JournalEntry } from '../../model/events/event.js';
import type { TaskFileChanged } from '../../model/events/replan-event.js';
import type { ParametersChanged } from '../../model/parameters.js';
import { lineOf, told } from '../history/run-facts.js';
import { replanText } from '../live/fix-text.js';
import { parametersText } from '../live/parameters-text.js';
import { replacedText } from '../live/session-text.js';
import { executionRecord } from '../record/execution.js';
import { type Fix, fixesOf, stopsOf } from '../record/fixes.js';
import { gatesOf } from '../record/gates.js';
import { warningsOf } from '../record/warnings.js';
import { html, joined, noMarkup } from './markup.js';
import type { Section, Sources } from './sources.js';
import { type BadgeKind, badge, named, table } from './table.js';

const thenKind: Record<Fix['afterwards'], BadgeKind> = {
  passed: 'good',
  'failed again': 'warn',
  'given up': 'bad',
  'not tried again yet': 'idle',
};

/** What did not work, what was thrown away, and what mended it: it is as much a result as the rest. */
export const trouble: Section = (facts, sources) => {
  const { entries } = facts;
  const { violations, worktrees } = executionRecord(facts);
  const fixes = fixesOf(entries);
  const stops = stopsOf(entries);
  const refused = gatesOf(entries).filter(({ decision }) => decision && decision.verdict !== 'pass');
  const kept = worktrees.filter(({ state }) => state === 'open' || state === 'kept');
  const unusable = told<{ task: string; detail: string }>(entries, 'agent-validation-failed');
  const dear = warningsOf(facts).filter(({ what }) => what === 'cost');
  const warned = told<{ task: string; warnings?: readonly string[] }>(entries, 'task-finished').filter(
    ({ warnings = [] }) => warnings.length > 0,
  );
  const misjudged = told<{ task: string; agent: string; wrong: readonly string[] }>(entries, 'judge-calibrated').filter(
    ({ wrong }) => wrong.length > 0,
  );
  const replaced = told<{ task: string; agent: string; replaces?: SessionReplaced }>(entries, 'agent-invoked').filter(
    ({ replaces }) => replaces,
  );
  const waits = told<{ task: string; reason: string; to: string }>(entries, 'escalated');
  const replanned = told<TaskFileChanged>(entries, 'task-file-changed');
  const changed = told<ParametersChanged>(entries, 'parameters-changed');
  const lists = [
    ...violations.map(
      ({ task, files, evidence, line }) =>
        html`<li>${badge('bad', 'violated')} ${named(task ?? 'at the end of the run')}: ${sources.journal(files.join(', '), line)} was changed and put back; evidence in ${named(evidence)}</li>`,
    ),
    ...refused.map(
      ({ task, decision }) =>
        html`<li>${badge(decision!.verdict === 'reject' ? 'bad' : 'warn', decision!.verdict)} ${named(task)}: ${sources.journal(decision!.reasons.join('; ') || 'no reason given', decision!.line)}</li>`,
    ),
    ...unusable.map(
      ({ task, detail, seq }) =>
        html`<li>${badge('warn', 'reply not used')} ${named(task)}: ${sources.journal(detail, seq + 1)}</li>`,
    ),
    ...replaced.map(
      (one) =>
        html`<li>${badge('warn', 'session lost')} ${named(one.task)}: ${sources.journal(replacedText({ ...one, ...one.replaces! }), one.seq + 1)}</li>`,
    ),
    ...waits.map(
      ({ task, reason, to, seq }) =>
        html`<li>${badge('warn', 'escalated')} ${named(task)}: ${sources.journal(reason, seq + 1)}; ${to === 'human' ? 'a person was asked' : to === 'instructions' ? 'a person was asked for instructions' : html`${named(to)} was asked`}</li>`,
    ),
    ...replanned.map(
      (change) =>
        html`<li>${badge('warn', 'plan changed')} ${sources.journal(replanText(change), change.seq + 1)}</li>`,
    ),
    ...changed.map(
      (change) => html`<li>${badge('warn', 'changed')} ${sources.journal(parametersText(change), change.seq + 1)}</li>`,
    ),
    ...dear.map(
      ({ task, text, line }) =>
        html`<li>${badge('bad', 'over its limit')} ${named(task)}: ${sources.words(text, { line })}</li>`,
    ),
    ...warned.map(
      ({ task, warnings = [], seq }) =>
        html`<li>${badge('warn', 'passed with warnings')} ${named(task)}: ${sources.journal(warnings.join('; '), seq + 1)}</li>`,
    ),
    ...stops.map(
      ({ task, attempt, what, line, durationMs, afterwards }) =>
        html`<li>${badge('idle', 'stopped')} ${named(task)}, attempt ${sources.journal(String(attempt), line)} ${sources.words(what, { line })} after ${sources.journal(formatDuration(durationMs), line)}, which is no failure; then: ${afterwards}</li>`,
    ),
    ...misjudged.map(
      ({ task, agent, wrong, seq }) =>
        html`<li>${badge('bad', 'may not judge')} ${named(agent)} at the gate of ${named(task)} got samples wrong: ${sources.journal(wrong.join(', '), seq + 1)}</li>`,
    ),
    ...kept.map(
      ({ task, branch, path, why }) =>
        html`<li>${badge('idle', 'kept')} ${named(task)}: branch ${named(branch)} in ${named(path)}${why !== undefined && html`: ${sources.words(why, { line: keptLine(entries, branch) })}`}</li>`,
    ),
  ];
  if (fixes.length === 0 && lists.length === 0) return undefined;
  return {
    id: 'trouble',
    title: 'What did not work, and what mended it',
    body: html`${lists.length > 0 && html`<ul class="plain">${joined(lists)}</ul>`}${fixes.length > 0 ? fixTable(fixes, sources) : noMarkup}`,
  };
};

/** Where it is said why a worktree was kept. */
function keptLine(entries: readonly JournalEntry[], branch: string): number {
  const said = entries.findLast((entry) => entry.type === 'worktree-kept' && entry.branch === branch);
  return said ? lineOf(said) : entries.length;
}

const fixTable = (fixes: readonly Fix[], sources: Sources) =>
  table(
    ['>task', '#attempt', 'error class', '>what happened', '>what was done', 'then'],
    fixes.map((fix) => [
      html`<span class="task">${fix.task}</span>`,
      sources.journal(String(fix.attempt), fix.line),
      html`${sources.words(fix.errorClass, fix)}${!fix.counted && html` <small>(costs no try)</small>`}`,
      html`${sources.words(fix.what, fix)} <small>after ${sources.journal(formatDuration(fix.durationMs), fix.line)}</small>`,
      html`${fix.by === undefined ? (fix.afterwards === 'given up' ? 'nothing' : 'tried again as it was') : html`${named(fix.by)}: ${sources.journal(fix.did || 'said nothing', fix.fixLine ?? fix.line)}`}${fix.escalatedTo !== undefined && html`; ${named(fix.escalatedTo)} was asked`}`,
      badge(thenKind[fix.afterwards], fix.afterwards),
    ]),
  );
