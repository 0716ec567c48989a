import type { Iterate } from '../../model/generated/config.js';
import type { Json } from '../../model/json.js';
import type { CompileInput } from '../compile-input.js';

/** What templates know as `iteration`; nothing in a study without `iterate`, so that the name is unknown there. */
export function iterationIn({ config, iteration }: CompileInput): {
  readonly iteration?: { readonly [name: string]: Json };
} {
  if (!config.iterate) return {};
  return { iteration: { ...(iteration ?? sample(config.iterate)) } };
}

const sample = ({ max }: Iterate) => ({
  number: 1,
  max,
  dir: 'iterations/1/001',
  goal: '',
  insights: '',
  best: '',
  baseline: '',
});

export const hasBaseline = ({ keep, repeats }: Iterate): boolean => keep === 'best' || repeats !== undefined;
