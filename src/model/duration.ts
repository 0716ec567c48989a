const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `30s` → 30000. Undefined when the text is not a duration; the schema has said so already. */
export function parseDuration(text: string): number | undefined {
  const match = /^([0-9]+)(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : undefined;
}

/** A length of time as people read it: `0.3 s`, `42 s`, `3 m 10 s`, `2 h 5 m`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} m` : `${minutes} m ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Of a limit that may not be stated. */
export const limitMs = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseDuration(text);
