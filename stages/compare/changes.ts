import type { Failure, StageContext, Value, ValueSource, Values } from 'autoresearch';

export type Changes =
  | { readonly ok: true; readonly of: ReadonlyMap<string, Change> }
  | { readonly ok: false; readonly failure: Failure };

/** In what a variant differs from the baseline. */
export interface Change {
  readonly names: readonly string[];
  /** Why that is none. */
  readonly noChange?: string;
}

interface Question {
  readonly baseline: string;
  readonly variants: readonly string[];
  readonly configs: { readonly [arm: string]: ValueSource };
  readonly seedNames?: readonly string[] | undefined;
  readonly labels?: readonly string[] | undefined;
}

/** A variant that differs from the baseline in nothing, or in the seed and in what it is called, tries its luck again. */
export async function changesOf(question: Question, context: StageContext): Promise<Changes> {
  const { baseline, variants, configs } = question;
  const known = new Map<string, Values>();
  const wrong: string[] = [];
  for (const arm of [baseline, ...variants]) {
    const source = Object.hasOwn(configs, arm) ? configs[arm] : undefined;
    if (source === undefined) {
      wrong.push(`configs has no ${arm}`);
      continue;
    }
    const read = await context.readValues({ from: source, names: ['*'] });
    if (read.ok) known.set(arm, read.values);
    else if ('failure' in read) return { ok: false, failure: read.failure };
    else wrong.push(`the config of ${arm}: ${read.why}`);
  }
  if (wrong.length > 0) return { ok: false, failure: { code: 'behaviour-failed', detail: wrong.join('; ') } };
  const names = (variant: string): string[] => changedNames(known.get(baseline)!, known.get(variant)!);
  return { ok: true, of: new Map(variants.map((variant) => [variant, judged(names(variant), question)])) };
}

function judged(names: readonly string[], { seedNames, labels }: Question): Change {
  if (names.length === 0) return { names, noChange: 'its config is that of the baseline' };
  const isSeed = seedNames ? oneOf(seedNames) : looksLikeSeed;
  const isLabel = labels ? oneOf(labels) : looksLikeLabel;
  if (!names.every((name) => isSeed(name) || isLabel(name))) return { names };
  const verb = names.length === 1 ? 'differs' : 'differ';
  return { names, noChange: `only ${names.join(', ')} ${verb} from the baseline, which is no change` };
}

/** The name itself, and what is below it. */
const oneOf =
  (written: readonly string[]) =>
  (name: string): boolean =>
    written.some((one) => name === one || name.startsWith(`${one}.`));

/** `seed`, `train.SEED`, `seed7b`, `seeds.numpy`, `random_state`. */
function looksLikeSeed(name: string): boolean {
  const parts = name.split('.');
  return /seed|random_?state|^rng$/i.test(parts.at(-1)!) || parts.some((part) => /(seeds?|random_?state)$/i.test(part));
}

/** Where a run is put and what it is called there. A `name` alone may be that of the model. */
const looksLikeLabel = (name: string): boolean =>
  /^(wandb|mlflow|comet|neptune|tensorboard)(_\w+)?$|^((out|output|log|logging|save|run|results?)_?(dir|folder|path)|(wandb_)?(run|exp|experiment)_?(name|id)|notes?|tags?|comment|description)$/i.test(
    name.split('.').at(-1)!,
  ) || /^(wandb|mlflow|comet|neptune|tensorboard)\./i.test(name);

const changedNames = (a: Values, b: Values): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((name) => !same(a.get(name), b.get(name)));

/** As they are written: what cannot be compared does not count as a change, and neither does the order of names. */
const same = (a: Value | undefined, b: Value | undefined): boolean =>
  a !== undefined && b !== undefined && (a === b || text(a) === text(b));

const text = (value: Value): string =>
  JSON.stringify(value, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([x], [y]) => (x < y ? -1 : 1)))
      : part,
  );
