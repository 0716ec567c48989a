import type { JobNews } from 'autoresearch';

export interface Health {
  readonly firstStep?: string;
  readonly stepTime?: string;
  readonly step?: string;
  readonly nan?: boolean;
  readonly metric?: string | readonly string[];
}

/** Looks at what a job writes, while it runs and at its end. Each finding is why the job is not healthy. */
export class HealthWatch {
  readonly #health: Health | undefined;
  readonly #step: RegExp;
  #lastStep: string | undefined;
  #seenAtMs = 0;

  constructor(health: Health | undefined) {
    this.#health = health;
    this.#step = new RegExp(health?.step ?? '\\bstep\\b\\W*\\d+', 'i');
  }

  look({ runningMs, lines }: JobNews): string | undefined {
    const health = this.#health;
    if (!health || runningMs === undefined) return undefined;
    const written = lines();
    const bad = this.#notANumber(written);
    if (bad !== undefined) return bad;
    const step = written.findLast((line) => this.#step.test(line));
    if (step !== undefined && step !== this.#lastStep) {
      this.#lastStep = step;
      this.#seenAtMs = runningMs;
      return undefined;
    }
    const limit = this.#lastStep === undefined ? health.firstStep : health.stepTime;
    if (limit === undefined || runningMs - this.#seenAtMs <= milliseconds(limit)) return undefined;
    return this.#lastStep === undefined
      ? `no step was seen within ${limit}`
      : `no further step was seen within ${limit}`;
  }

  /** After an end that looks like a success. Nothing seen is not healthy. */
  atEnd(lines: readonly string[]): string | undefined {
    const health = this.#health;
    if (!health) return undefined;
    const bad = this.#notANumber(lines);
    if (bad !== undefined) return bad;
    if (
      (health.firstStep ?? health.step ?? health.stepTime) !== undefined &&
      !lines.some((line) => this.#step.test(line))
    )
      return 'it ended without a single step in the end of its log';
    const metrics = typeof health.metric === 'string' ? [health.metric] : (health.metric ?? []);
    const missing = metrics.filter((metric) => {
      const told = new RegExp(`${escaped(metric)}\\W{1,4}[-+]?\\d`);
      return !lines.some((line) => told.test(line));
    });
    if (missing.length === 0) return undefined;
    return `there is no number for the ${missing.length === 1 ? 'metric' : 'metrics'} ${missing.join(', ')}`;
  }

  #notANumber(lines: readonly string[]): string | undefined {
    if (this.#health?.nan) return undefined;
    const line = lines.find((each) => notANumber.test(each));
    return line === undefined ? undefined : `it is no number any more: ${line.trim().slice(0, 120)}`;
  }
}

/** As a value, not as a part of a word. */
const notANumber = /(?:^|[\s=:,([])[-+]?(?:nan|inf|infinity)(?=$|[\s,)\]}%])/i;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function milliseconds(duration: string): number {
  const [, number, unit] = /^(\d+)(\D+)$/.exec(duration) ?? [];
  return Number(number) * (units[unit ?? ''] ?? Number.NaN);
}
