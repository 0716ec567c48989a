import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resetTime } from '../../src/run/errors/reset-time.js';

const now = Date.parse('2026-11-17T02:00:00Z');
const inMs = (...lines: string[]): number | undefined => {
  const at = resetTime(lines, now);
  return at === undefined ? undefined : at - now;
};
const minute = 60_000;
const hour = 60 * minute;

describe('when a quota can be used again', () => {
  test.each([
    ['try again in 20s', 20_000],
    ['Please try again in 1.5s.', 1500],
    ['Please try again in 841ms', 841],
    ['Please retry in 6m0s', 6 * minute],
    ['reset after 1h5m', hour + 5 * minute],
    ['Your quota will reset after 2h13m5s.', 2 * hour + 13 * minute + 5000],
    ['wait for 2 minutes and 3 seconds', 2 * minute + 3000],
    ['wait 1 hour, 5 minutes', hour + 5 * minute],
    ['Retry-After: 120', 2 * minute],
    ["'retry-after': '20',", 20_000],
    ['"retry_after": 3.5', 3500],
    ['retry-after-ms: 1500', 1500],
    ['Retry-After: 20s', 20_000],
    ['Retry-After: 1794884400', hour],
    ['Retry-After: Tue, 17 Nov 2026 02:30:00 GMT', 30 * minute],
    ['x-ratelimit-reset: 1794884400', hour],
    ['x-ratelimit-reset-tokens: 6m0s', 6 * minute],
    ['"resets_at":1794884400', hour],
    ['"resets_at":1794884400000', hour],
    ['usage limit reached|1794884400', hour],
    ['resets at 2026-11-17T03:00:00Z', hour],
    ['resets at 2026-11-17T04:00:00+01:00', hour],
    ['resets at 2026-11-17 03:00:00 UTC', hour],
    ['available again after 2026-11-17T02:00:30.500Z', 30_500],
    ['try again at 23:30 UTC', 21 * hour + 30 * minute],
    ['resets at 3am (UTC)', hour],
    ['resets 3:00 PM UTC.', 13 * hour],
    ['resets 3:00 p.m. GMT', 13 * hour],
    ['available again at 14:05Z', 12 * hour + 5 * minute],
    ['Retry-After: 2026-11-17T03:00:00Z', hour],
    ['Retry after 15:00 UTC', 13 * hour],
    ['blocked until 02:00:07 utc, sorry', 7000],
    ['resets 12am UTC', 22 * hour],
    ['resets 12pm UTC', 10 * hour],
    ['resets at 1am UTC', 23 * hour],
    ['try again at 01:55 UTC', 24 * hour - 5 * minute],
    ['limit reached ∙ resets 4am (Europe/Berlin)', hour],
    ['resets 10pm (America/New_York)', hour],
    ['resets 8:30 (Asia/Kolkata)', hour],
    ['try again at Nov 18th, 2026 12:08 AM UTC', 22 * hour + 8 * minute],
    ['try again at Nov 17th, 2026 3:00 AM UTC.', hour],
    ['resets Nov 18, 1am (UTC)', 23 * hour],
    ['resets November 18 at 1:00 (UTC)', 23 * hour],
    ['resets on Wed, Nov 18, 2026 at 2am (Europe/Berlin)', 23 * hour],
  ])('%s', (line, expected) => {
    expect(inMs(line)).toBe(expected);
  });

  test.each([
    'resets at 2026-11-17T01:59:59Z',
    'resets at 2026-11-18T02:00:01Z',
    'resets at 2026-11-17T03:00:00',
    'try again in 25h',
    'try again in 0s',
    'Retry-After: 0',
    'Retry-After: -5',
    'Retry-After: 90000',
    'retry after 5 attempts',
    'try again later',
    'took 20s',
    'resets at 2026-13-45T99:00:00Z',
    'Retry-After: Xyz, 99 Foo 2026 99:99:99 GMT',
    `try again in ${'9'.repeat(400)}s`,
    'try again at 25:99 UTC',
    'try again at 24:00 UTC',
    'try again at 12:60 UTC',
    'try again at 12:30:61 UTC',
    'resets at 0am UTC',
    'resets at 13pm UTC',
    'try again at 12',
    'resets 3 (UTC)',
    'available at 12 o clock',
    'available after 1.2.3',
    'available after 12:30.5',
    'available at 12:30:45:10',
    'available at 12:3',
    'available at 12:345',
    'resets 3 amps',
    'retry 12:30-13:30',
    'retry after 15/20',
    'retry after 1.2.3',
    'Retry-After: 2026-11-16T03:00:00Z',
    'resets 3am PST',
    'resets 3am (CET)',
    'resets 3am UTC+2',
    'resets 3am +02:00',
    'resets 3am (Nowhere/Land)',
    'resets 3am tomorrow',
    'resets at 3:00 PM on Friday',
    'resets at 3:00 PM, Nov 20',
    'resets at 2026-11-16 03:00 UTC',
    'resets at 2026-11-16 at 03:00 UTC',
    'resets Nov 3, 3am',
    'resets Nov 17, 1am UTC',
    'resets Nov 18, 2025 1am UTC',
    'resets Nov 18, 2am PST',
    'resets Nov 18, 3am UTC',
    'resets Nov 31, 3am UTC',
    'resets Nov 18',
    'resets Nov 18, 3',
    'the test at 23:30 UTC failed',
    'try again at 02:00 UTC',
    'try again at 01:56 UTC',
  ])('%s: not read, or not believed', (line) => {
    expect(inMs(line)).toBeUndefined();
  });

  test('without a zone the clock of this machine is meant', () => {
    const soon = new Date(now + 90 * minute);
    const shown = `${String(soon.getHours()).padStart(2, '0')}:${String(soon.getMinutes()).padStart(2, '0')}`;
    expect(inMs(`try again at ${shown}.`)).toBe(90 * minute);
  });

  test.each([
    ['2026-12-31T23:00:00Z', 'resets Jan 1, 1am UTC', '2027-01-01T01:00:00.000Z'],
    ['2027-01-01T00:30:00Z', 'resets Dec 31, 11pm (America/New_York)', '2027-01-01T04:00:00.000Z'],
    ['2028-02-28T23:00:00Z', 'resets Feb 29, 1am UTC', '2028-02-29T01:00:00.000Z'],
    ['2026-03-28T23:30:00Z', 'resets Mar 29, 5am (Europe/Berlin)', '2026-03-29T03:00:00.000Z'],
  ])('a day without a year, at %s: %s', (from, line, expected) => {
    expect(new Date(resetTime([line], Date.parse(from))!).toISOString()).toBe(expected);
  });

  test('a day without a zone is one of this machine', () => {
    const at = new Date(now + 23 * hour);
    const [, month, day, year] = at.toDateString().split(' ');
    const shown = `${month} ${Number(day)}th, ${year} ${at.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })}`;
    expect(inMs(`You've hit your usage limit. Try again at ${shown}.`)).toBe(23 * hour);
  });

  test('clocks that are set forward or back in between', () => {
    const at = (line: string, from: string): string | undefined => {
      const ms = resetTime([line], Date.parse(from));
      return ms === undefined ? undefined : new Date(ms).toISOString();
    };
    expect(at('resets 5am (Europe/Berlin)', '2026-03-28T23:30:00Z')).toBe('2026-03-29T03:00:00.000Z');
    expect(at('resets 5am (Europe/Berlin)', '2026-10-24T22:30:00Z')).toBe('2026-10-25T04:00:00.000Z');
    expect(at('resets 11pm (Europe/Berlin)', '2026-03-28T22:30:00Z')).toBe('2026-03-29T21:00:00.000Z');
    // 24 and a half hours are more than a day.
    expect(at('resets 11pm (Europe/Berlin)', '2026-10-24T21:30:00Z')).toBeUndefined();
  });

  test('any time of day is read as its next occurrence', () => {
    const day = 24 * hour;
    const two = (value: number): string => String(value).padStart(2, '0');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 0, max: day - 1 }), (minutes, into) => {
        const from = Date.parse('2026-11-17T00:00:00Z') + into;
        const [h, m] = [Math.floor(minutes / 60), two(minutes % 60)];
        const ahead = (minutes * minute - into + day) % day;
        const expected = ahead === 0 || day - ahead < 5 * minute ? undefined : from + ahead;
        expect(resetTime([`try again at ${two(h)}:${m} UTC`], from)).toBe(expected);
        expect(resetTime([`resets ${h % 12 || 12}:${m}${h < 12 ? 'am' : 'pm'} (UTC)`], from)).toBe(expected);
      }),
    );
  });

  test('the header of the answer counts before what is said beside it; the later of two is safe', () => {
    expect(inMs('x-ratelimit-reset-requests: 1s', 'x-ratelimit-reset-tokens: 6m0s')).toBe(6 * minute);
    expect(inMs('x-ratelimit-reset: 1794884400', 'retry-after: 7')).toBe(7000);
  });

  test('is always ahead, never more than a day, whatever is written', () => {
    const parts = fc.constantFrom(
      ...['retry-after: ', 'resets at ', 'in ', 'again ', '1h', '5m', '30', '1794884400', '2026-11-17T03:00:00Z', '-'],
      ...[' ', '9999999999', '.', 's', 'd', '"', 'GMT', 'NaN', '3am', '23:30', ' UTC', '(', ':', 'until '],
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(parts, { maxLength: 10 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (lines) => {
        const ms = inMs(...lines);
        expect(ms === undefined || (ms > 0 && ms <= 24 * hour)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
