import { runInNewContext } from 'node:vm';
import type { Reading } from '../../model/stage.js';
import type { TextMatch } from '../../model/text-match.js';

/** Everything in a text that a regular expression fits. */
export function boundedMatches(pattern: string, text: string): Reading<readonly TextMatch[]> {
  // A long log takes its time, also with a good expression on a machine that has other things to do.
  const found = bounded(everything, { pattern, text }, 5000 + text.length / 500);
  // As text, because what another context made is no object of ours.
  return found.ok ? { ok: true, value: JSON.parse(String(found.value)) } : found;
}

/** Whether an expression is found in a text. */
export function boundedSearch(pattern: string, text: string): Reading<boolean> {
  const found = bounded('new RegExp(pattern, "m").test(text)', { pattern, text }, 1000);
  return found.ok ? { ok: true, value: found.value === true } : found;
}

/** Only code in a context of its own can be stopped, and an expression of somebody else's may take years. */
function bounded(code: string, names: { pattern: string; text: string }, timeout: number): Reading<unknown> {
  try {
    return { ok: true, value: runInNewContext(code, names, { timeout: Math.round(timeout) }) };
  } catch (error) {
    // It comes from another context, so it is no Error of ours.
    const { code: why, message } = error as { code?: string; message?: string };
    const shown = JSON.stringify(names.pattern);
    if (why === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { ok: false, why: `the expression ${shown} takes too long` };
    return { ok: false, why: `${shown} is no regular expression: ${message ?? String(error)}` };
  }
}

// Names of a context are slow to look up, which a long log would feel: what is used often is local.
const everything = `((pattern, text) => {
  const found = [], ofNumbers = new Set('0123456789.-+eE');
  let line = 1, at = 0;
  for (const match of text.matchAll(new RegExp(pattern, 'dgm'))) {
    for (; at < match.index; at += 1) if (text.charCodeAt(at) === 10) line += 1;
    const around = {}, places = match.indices.groups;
    for (const name in places) {
      const [from, to] = places[name] ?? [];
      if (from !== undefined && (ofNumbers.has(text[from - 1]) || ofNumbers.has(text[to])))
        around[name] = [text.slice(Math.max(0, from - 8), from), text.slice(to, to + 8)];
    }
    found.push({ line, text: match[0], groups: { ...match.groups }, index: match.index, around });
  }
  return JSON.stringify(found);
})(pattern, text)`;
