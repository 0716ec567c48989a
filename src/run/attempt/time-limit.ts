import type { RecordedEvent } from '../../model/events/event.js';
import type { Clock } from '../../model/ports.js';
import type { TimeCeiling } from '../agents/ceilings.js';
import type { StopSwitch } from '../stop-switch.js';

export type TimeLeft = TimeCeiling;

interface TimeTools {
  readonly clock: Clock;
  record(events: readonly RecordedEvent[]): void;
  /** Called once, when the time is over. */
  onOver(): void;
  onBroken(error: unknown): void;
}

/** Watches the time that the run may be at work, and writes down from time to time that the run is at work. Returns how to stop watching. */
export function watchTime(
  { ceiling, leftMs, limitMs }: TimeLeft,
  { clock, record, onOver, onBroken }: TimeTools,
): () => void {
  // Called by a timer, where nobody else would catch what the disk says.
  const recordSafely = (event: RecordedEvent): void => {
    try {
      record([event]);
    } catch (error) {
      onBroken(error);
    }
  };
  const over = (): void => {
    recordSafely({ type: 'budget-spent', ceiling, limit: limitMs, spent: limitMs, wanted: 0 });
    onOver();
  };
  if (leftMs <= 0) {
    over();
    return () => {};
  }
  const everyMs = tickMs(limitMs);
  let cancelTick = (): void => {};
  const tick = (): void => {
    cancelTick = clock.after(everyMs, tick);
    recordSafely({ type: 'time-recorded', everyMs });
  };
  tick();
  const cancelOver = clock.after(leftMs, over);
  return () => {
    cancelTick();
    cancelOver();
  };
}

/** Often enough to lose little, seldom enough for a long night: between a second and half a minute. */
const tickMs = (limitMs: number): number => Math.min(30_000, Math.max(1000, limitMs / 20));

/** When the time of the run is over, everything is stopped as if a person had said so. */
export function stopInTime(time: TimeLeft | undefined, stop: StopSwitch, tools: TimeTools): () => void {
  if (!time) return () => {};
  return watchTime(time, {
    ...tools,
    record: (events) => (stop.signal ? undefined : tools.record(events)),
    onOver() {
      if (stop.signal) return;
      tools.onOver();
      stop.stop('the time budget');
    },
  });
}
