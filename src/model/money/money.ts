/**
 * Money is added and compared in whole billionths of a dollar, because 0.1 + 0.2 is not 0.3 in floating point and a
 * ceiling of 0.3 has to admit both. Numbers stay exact up to nine million dollars.
 */
export type NanoUsd = number;

/** What is more than nothing stays more than nothing. */
export const toNano = (usd: number): NanoUsd => (usd > 0 ? Math.max(1, Math.round(usd * 1e9)) : 0);

export const toUsd = (nano: NanoUsd): number => nano / 1e9;

/**
 * A sum that a program reports; undefined when it is none. Beyond what can be counted exactly it is the most that can be:
 * an absurd amount must not end up as the small one that is assumed where nothing is known.
 */
export const reportedUsd = (value: unknown): number | undefined =>
  isAmount(value) ? Math.min(value, mostUsd) : undefined;

const mostUsd = 1e6;

/** Money that can be counted: reports of NaN, of less than nothing or of infinitely much say nothing. */
export const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
