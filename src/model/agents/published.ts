import type { Failure } from '../failure.js';
import type { TestResult } from './test-result.js';

export type { TestResult } from './test-result.js';

/** What an attempt tells besides how it ended; recorded also when it failed. */
export interface Published {
  readonly tests?: readonly TestResult[];
  /** Name → finite number. */
  readonly metrics?: { readonly [name: string]: number };
}

/** A behaviour of another lab may publish anything. Undefined: it has the right form. */
export function publishedProblem({
  tests,
  metrics,
}: {
  readonly tests?: unknown;
  readonly metrics?: unknown;
}): string | undefined {
  if (tests !== undefined && !(Array.isArray(tests) && tests.every(isTest)))
    return 'its tests are not a list of name, status (passed, failed or skipped) and detail';
  if (metrics === undefined) return undefined;
  if (typeof metrics !== 'object' || metrics === null || Array.isArray(metrics)) return 'its metrics are not a map';
  const wrong = Object.entries(metrics).find(([, value]) => typeof value !== 'number' || !Number.isFinite(value));
  return wrong && `its metric ${wrong[0]} is ${String(wrong[1])}, not a number`;
}

/** Whoever passes with a test that failed, or with a checklist on which nothing was checked, has not passed. */
export function publishedFailure({ tests }: Published): Failure | undefined {
  if (!tests) return undefined;
  const failed = tests.filter(({ status }) => status === 'failed');
  const checked = tests.filter(({ status }) => status !== 'skipped').length;
  if (failed.length > 0)
    return {
      code: 'checks-failed',
      checked,
      lines: failed.map(({ name, detail }) => (detail ? `${name}: ${detail}` : name)),
    };
  return checked === 0 ? { code: 'checks-failed', checked, lines: ['nothing was checked'] } : undefined;
}

function isTest(value: unknown): value is TestResult {
  if (typeof value !== 'object' || value === null) return false;
  const { name, status, detail } = value as Record<keyof TestResult, unknown>;
  return (
    typeof name === 'string' &&
    name !== '' &&
    (status === 'passed' || status === 'failed' || status === 'skipped') &&
    (detail === undefined || typeof detail === 'string')
  );
}
