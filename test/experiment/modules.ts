// The experiment is plain JavaScript, so that a reader can run it with nothing but Node. Here it gets its types.
export type Point = readonly [x: number, y: number, label: number];

export interface Random {
  next(): number;
  normal(): number;
  shuffle<T>(items: T[]): T[];
}

export interface Network {
  readonly layers: readonly object[];
  readonly parameters: Float64Array;
}

interface ScheduleAt {
  readonly peak: number;
  readonly step: number;
  readonly steps: number;
  readonly warmup: number;
}

const load = (path: string): Promise<unknown> => import(new URL(`../../experiment/${path}`, import.meta.url).href);

export const { createRandom } = (await load('model/random.mjs')) as { createRandom(seed: number): Random };

export const { makeSpirals } = (await load('model/spirals.mjs')) as {
  makeSpirals(options: { readonly count: number; readonly noise: number; readonly seed: number }): Point[];
};

export const { createNetwork, meanLoss } = (await load('model/network.mjs')) as {
  createNetwork(sizes: readonly number[], random: Random): Network;
  meanLoss(network: Network, points: readonly Point[], gradient?: Float64Array): number;
};

export const { schedules } = (await load('model/schedule.mjs')) as {
  schedules: { constant(at: ScheduleAt): number; cosine(at: ScheduleAt): number };
};
