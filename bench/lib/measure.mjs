import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { work } from './work.mjs';

/**
 * Runs all contenders once in each round, in an order that turns from round to round, so that a machine that gets faster or
 * slower meanwhile does so for all of them. One more round comes first and is not counted.
 *
 * A contender is `{ name, run: [program, ...args], cwd, env?, base?, reset?, check? }`; one with `missing` is not run. `base` is
 * what its time is divided by. `reset` puts things back before each run; `check` says afterwards what was not done, since a
 * runner that does nothing would be the fastest. Neither is timed.
 */
export function measure(contenders, { rounds, title }) {
  const able = contenders.filter(({ missing }) => !missing);
  const seconds = new Map(able.map(({ name }) => [name, []]));
  const failures = new Map();
  for (let round = -1; round < rounds; round++) {
    process.stderr.write(`\r\x1b[K${title}: ${round < 0 ? 'warming up' : `round ${round + 1} of ${rounds}`}`);
    for (let index = 0; index < able.length; index++) {
      const contender = able[(index + round + able.length) % able.length];
      if (failures.has(contender.name)) continue;
      const result = runOnce(contender);
      if (result.failure) failures.set(contender.name, result.failure);
      else if (round >= 0) seconds.get(contender.name).push(result.seconds);
    }
  }
  process.stderr.write('\r\x1b[K');
  return contenders.map(({ name, base, missing }) => {
    const about = { name, ...(base === undefined ? {} : { base }) };
    if (missing) return { ...about, state: 'missing', detail: missing };
    if (failures.has(name)) return { ...about, state: 'failed', detail: failures.get(name) };
    return { ...about, state: 'ok', seconds: median(seconds.get(name)), all: seconds.get(name) };
  });
}

/** Where what the last contender printed can be read. */
export const printed = join(work, 'printed.txt');

function runOnce({ run: [program, ...args], cwd, env, reset, check }) {
  reset?.();
  mkdirSync(work, { recursive: true });
  const stdout = openSync(printed, 'w');
  const start = process.hrtime.bigint();
  const { status, error, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', stdout, 'pipe'],
    maxBuffer: 2 ** 30,
    timeout: 600_000,
  });
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  closeSync(stdout);
  if (status === 0) return { seconds, failure: check?.() };
  const said = String(stderr ?? '')
    .trim()
    .split('\n')
    .at(-1);
  return { failure: error?.message ?? `exit ${status}${said ? `: ${said}` : ''}` };
}

/** To its base, as the median of the ratios round by round; that is steadier than the ratio of two medians. */
export function ratio(rows, name) {
  const above = rows.find((row) => row.name === name);
  const below = rows.find((row) => row.name === above?.base);
  if (above?.state !== 'ok' || below?.state !== 'ok') return undefined;
  return median(above.all.map((value, round) => value / below.all[round]));
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
