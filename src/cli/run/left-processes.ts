import type { History } from '../history/history.js';

/** Only a run that was cut short can have left something, whether it goes on now or not. */
export async function endLeftBehind({ store, unfinished }: History): Promise<number> {
  const state = unfinished?.reading.state;
  if (!state) return 0;
  const left = await import('../left-behind/left-behind.js');
  return left.endLeftBehind(store.runDir(unfinished.id), state);
}

export const leftText = (count: number): string =>
  `Ended ${count === 1 ? 'one process' : `${count} processes`} that an earlier go of this run had left behind.`;
