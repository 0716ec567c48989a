import { listed } from '../words/phrase.js';

interface Loose {
  readonly agent: string;
  readonly why: string;
}

/** What `plan` and `doctor` say of caps that do not end a call by themselves. */
export const capText = (loose: readonly Loose[]): string =>
  Object.entries(reasons)
    .flatMap(([why, words]) => {
      const names = loose.filter((one) => one.why === why).map(({ agent }) => agent);
      return names.length === 0 ? [] : [`limits.usd of ${listed(names, 5)} ${words}`];
    })
    .join('; ');

const reasons: { readonly [why: string]: string } = {
  'no-price': 'does not end a call, because prices has no entry for the model; what it cost is booked afterwards',
  'own-words': 'ends a call only by what the program prints while it runs ({"spent": {"usd": …}})',
  never: 'does not end a call, because a terminal program tells what it cost when it is done',
};
