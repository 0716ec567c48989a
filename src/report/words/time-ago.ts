import { plural } from './phrase.js';

/** `just now`, `5 minutes ago`, `yesterday`, and the date for what is older than a week (UTC). */
export function timeAgo(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${plural(minutes, 'minute')} ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${plural(hours, 'hour')} ago`;
  const days = Math.floor(hours / 24);
  return days <= 7 ? `${plural(days, 'day')} ago` : new Date(then).toISOString().slice(0, 10);
}
