/**
 * The next time that a clock shows what a line says: `try again at 23:30 UTC`, `resets 3pm (Europe/Berlin)`. Without a zone
 * that of this machine is meant. A time that is over means tomorrow, unless it was only just reached: then it has come.
 */
export function clockTimes(line: string, nowMs: number): number[] {
  const found: number[] = [];
  for (const { groups = {} } of line.matchAll(clock)) {
    const time = timeOfDay(groups);
    const zone = zoneOf(groups.tail ?? '');
    if (time === undefined || zone === undefined) continue;
    const at = next(time, zone, nowMs);
    if (at !== undefined) found.push(at);
  }
  return found;
}

/**
 * The same with the day before it, as whoever waits over midnight is told: `try again at Nov 18th, 2026 12:08 AM`, `resets
 * Nov 18, 3am (Europe/Berlin)`. Without a year the nearest one is meant.
 */
export function datedTimes(line: string, nowMs: number): number[] {
  const found: number[] = [];
  for (const { groups = {} } of line.matchAll(dated)) {
    const time = timeOfDay(groups);
    const zone = zoneOf(groups.tail ?? '');
    if (time === undefined || zone === undefined) continue;
    const month = months.indexOf((groups.month ?? '').toLowerCase());
    const day = Number(groups.day);
    const thisYear = new Date(nowMs).getUTCFullYear();
    const years = groups.year === undefined ? [thisYear - 1, thisYear, thisYear + 1] : [Number(groups.year)];
    const times = years
      .filter((year) => isDay(year, month, day))
      .map((year) => shownAt({ year, month, day, ...time }, zone));
    times.sort((a, b) => Math.abs(a - nowMs) - Math.abs(b - nowMs));
    found.push(...times.slice(0, 1));
  }
  return found;
}

const before = String.raw`\b(?:resets?|again|retry|until|available|after)\b["']?[\s:=]{1,3}["']?(?:at |on |after |from |until |about ){0,2}`;
const hours = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d\d)(?::(?<second>\d\d))?)?(?: ?(?<half>[ap])(?:m\b|\.m\.))?(?=(?<tail>.{0,60}))`;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const date = String.raw`(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(?<month>${months.join('|')})[a-z]* (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?,? (?:at )?`;
const clock = new RegExp(before + hours, 'gi');
const dated = new RegExp(before + date + hours, 'gi');

function isDay(year: number, month: number, day: number): boolean {
  const real = new Date(Date.UTC(year, month, day));
  return real.getUTCMonth() === month && real.getUTCDate() === day;
}

interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** A lone number is no time: only minutes or `am` and `pm` make it one. */
function timeOfDay({
  hour = '',
  minute,
  second = '0',
  half,
}: {
  [name: string]: string | undefined;
}): TimeOfDay | undefined {
  if (minute === undefined && half === undefined) return undefined;
  const time = { hour: Number(hour), minute: Number(minute ?? '0'), second: Number(second) };
  if (time.minute > 59 || time.second > 59) return undefined;
  if (half === undefined) return time.hour > 23 ? undefined : time;
  if (time.hour < 1 || time.hour > 12) return undefined;
  return { ...time, hour: (time.hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0) };
}

const local = 'local';

/** Which clock is meant, from what stands behind the time. Undefined when that makes it something that we cannot tell. */
function zoneOf(tail: string): string | undefined {
  if (/^ ?\(?(?:UTC|GMT|Z)(?![\w+-])/i.test(tail)) return 'UTC';
  const named = /^ ?\(?([A-Z][A-Za-z]+(?:\/[A-Za-z_-]+){1,2})(?![\w/])/.exec(tail)?.[1];
  if (named !== undefined) return isZone(named) ? named : undefined;
  const otherDay =
    /^,? ?\(?(?:on\b|tomorrow|next|\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;
  const otherZone = /^ ?\(?(?:[A-Z]{2,5}\b|[+-]\d)/;
  const partOfMore = /^(?:[\w:/%+-]|[.,]\d)/;
  return [otherDay, otherZone, partOfMore].some((other) => other.test(tail)) ? undefined : local;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Whoever is told "at 23:30" and reads it seconds later must not wait a day. */
const justReachedMs = 5 * 60_000;

function next(time: TimeOfDay, zone: string, nowMs: number): number | undefined {
  const [yesterday, today, tomorrow] = [-1, 0, 1].map((days) => onDay(time, zone, { nowMs, days }));
  const isReached = (at: number): boolean => at <= nowMs && at > nowMs - justReachedMs;
  if (isReached(yesterday!) || isReached(today!)) return undefined;
  return today! > nowMs ? today : tomorrow;
}

function onDay(
  time: TimeOfDay,
  zone: string,
  { nowMs, days }: { readonly nowMs: number; readonly days: number },
): number {
  const here = new Date(nowMs + offsetMs(nowMs, zone));
  const day = { year: here.getUTCFullYear(), month: here.getUTCMonth(), day: here.getUTCDate() + days };
  return shownAt({ ...day, ...time }, zone);
}

interface Shown extends TimeOfDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The moment in which the clocks and calendars of a zone show this. */
function shownAt({ year, month, day, hour, minute, second }: Shown, zone: string): number {
  const shown = Date.UTC(year, month, day, hour, minute, second);
  // The offset may change around it: the second look is at nearly the moment that is meant.
  const nearly = shown - offsetMs(shown, zone);
  return shown - offsetMs(nearly, zone);
}

/** How far the clocks of a zone are ahead of UTC at a moment. */
function offsetMs(atMs: number, zone: string): number {
  const whole = Math.floor(atMs / 1000) * 1000;
  const format = new Intl.DateTimeFormat('en-US', {
    ...(zone === local ? {} : { timeZone: zone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
}
