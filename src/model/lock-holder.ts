/** Who holds the state folder, as the lock file tells it. */
export interface LockHolder {
  readonly host: string;
  readonly pid: number;
  /** ISO 8601, UTC. */
  readonly since: string;
  /** Known once the run is; a lock is taken before that. */
  readonly run?: string;
}

/** `run 3-k2xw, process 4711 on lab, since 2026-01-01T00:00:00.000Z`. */
export function holderWords(holder: LockHolder | undefined): string {
  if (!holder) return 'an unknown process, because the lock file cannot be read';
  const { host, pid, since, run } = holder;
  return `${run === undefined ? '' : `run ${run}, `}process ${pid} on ${host}, since ${since}`;
}
