import { clockTimes, datedTimes } from './clock-time.js';
import { longestWaitMs } from './retry.js';

/**
 * When a quota can be used again, as the lines of an error say it. Undefined when they do not, and when what they say is
 * past or more than a day away: a wrong time must neither spin nor stop a run. Milliseconds since 1970.
 */
export function resetTime(lines: readonly string[], nowMs: number): number | undefined {
  for (const read of [afterHeader, moment, datedTimes, clockTimes, pause]) {
    const times = lines.flatMap((line) => read(line, nowMs)).filter((at) => at > nowMs && at <= nowMs + longestWaitMs);
    if (times.length > 0) return Math.max(...times);
  }
  return undefined;
}

/** `Retry-After: 120`, `'retry-after': '20'`, `retry_after_ms=1500`, `Retry-After: Tue, 17 Nov 2026 03:00:00 GMT`. */
function afterHeader(line: string, nowMs: number): number[] {
  const found: number[] = [];
  for (const { groups } of line.matchAll(
    /\bretry[-_ ]?after(?<ms>[-_]ms)?["']?\s*[:=]?\s*["']?(?<value>\d+(?:\.\d+)?(?![\d.]*(?:\s*[a-z]|[:/.-]\d))|[A-Z][a-z]{2}, [\w :]{20,24}GMT)/gi,
  )) {
    const { ms, value = '' } = groups ?? {};
    if (value.endsWith('GMT')) found.push(Date.parse(value));
    else found.push(since(Number(value) * (ms === undefined ? 1000 : 1), nowMs));
  }
  return found.filter((at) => !Number.isNaN(at));
}

/** `resets at 2026-11-17T03:00:00Z`, `usage limit reached|1763348400`, `x-ratelimit-reset: 1763348400`. */
function moment(line: string): number[] {
  const iso =
    /\b(?:reset|retry|again|until|available|after)\w*\b[^\d\n]{0,20}(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))/gi;
  const unix = /(?:\breset\w*\b|\blimit reached|[-_]reset\b)[^\d\n]{0,20}\b(\d{10}|\d{13})\b/gi;
  return [
    ...[...line.matchAll(iso)].map(([, text = '']) =>
      Date.parse(text.replace(/ ?(?:UTC|GMT)$/i, 'Z').replace(' ', 'T')),
    ),
    ...[...line.matchAll(unix)].map(([, digits = '']) => Number(digits) * (digits.length === 10 ? 1000 : 1)),
  ].filter((at) => !Number.isNaN(at));
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const duration = String.raw`\d+(?:\.\d+)? ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])`;
const pauses = new RegExp(
  String.raw`\b(?:again|retry|retrying|wait|resets?|reset[-_ ](?:requests|tokens|time|after|in)|available|back|after)["']?[\s:=]{1,3}["']?(?:in |after |for |at least |about ){0,2}(${duration}(?:(?:,| and)? ?${duration}){0,3})`,
  'gi',
);

/** `try again in 20s`, `reset after 1h5m`, `wait for 2 minutes and 3 seconds`, `x-ratelimit-reset-tokens: 6m0s`. */
function pause(line: string, nowMs: number): number[] {
  return [...line.matchAll(pauses)].map(([, text = '']) => {
    let ms = 0;
    for (const [, amount, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/gi))
      ms += Number(amount) * unitOf(unit);
    return since(ms, nowMs);
  });
}

function unitOf(written: string): number {
  const unit = written.toLowerCase();
  if (unit === 'ms' || unit.startsWith('milli')) return 1;
  return unitMs[unit[0] ?? ''] ?? 0;
}

/** A number too large for a pause is a moment of its own. */
const since = (ms: number, nowMs: number): number => (ms < 1e12 ? nowMs + Math.ceil(ms) : ms);
