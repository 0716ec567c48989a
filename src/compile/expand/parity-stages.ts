import type { Diagnostic } from '../../model/diagnostic.js';
import type { Config, ParityCheck, Stage } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { stageList } from '../../model/stage-list.js';
import { didYouMean } from '../../source/did-you-mean.js';

export interface WithParity {
  readonly config: Config;
  /** Stages that were added, each to run before anything that it does not itself wait for. */
  readonly first: ReadonlySet<string>;
  readonly problems: readonly Diagnostic[];
}

const none: ReadonlySet<string> = new Set();

/**
 * Puts each entry of `parity` into the stages that check it, so that a change of it makes them stale. An entry that no
 * stage checks has a stage made for it: what is declared is checked, and before anything is paid for.
 */
export function withParity(config: Config): WithParity {
  const users = stageList(config).filter(([, { uses }]) => uses === 'parity');
  const entries = Object.entries(config.parity ?? {});
  const problems = unknownOfJobs(config);
  if (users.length === 0 && entries.length === 0) return { config, first: none, problems };
  const stages: Record<string, Stage> = { ...config.stages };
  const checked = new Set<string>();
  for (const [name, stage] of users) {
    const check = stage.with?.check;
    if (typeof check !== 'string') continue;
    const entry = Object.hasOwn(config.parity ?? {}, check) ? config.parity![check] : undefined;
    if (!entry)
      problems.push(
        unknownCheck(
          [name, 'check'],
          check,
          entries.map(([known]) => known),
        ),
      );
    stages[name] = checking(stage, entry ?? standIn);
    // Only what looks at the files is a check of the files: the values of a run come after it has been paid for.
    if (!stage.with?.resolved) checked.add(check);
    problems.push(...misplaced(name, stage));
  }
  const first = new Set<string>();
  for (const [check, entry] of entries) {
    if (checked.has(check)) continue;
    const name = freeName(`parity-${check}`, stages);
    first.add(name);
    stages[name] = checking({ uses: 'parity', with: { check } }, entry);
  }
  return { config: { ...config, stages }, first, problems };
}

/** For a check that is not there, so that nothing is said to be missing but its name. */
const standIn: ParityCheck = { arms: { a: 'a.json', b: 'b.json' }, params: ['a'] };

/** Loading somebody's code may take for ever. */
const checking = (stage: Stage, { arms, params, except, python }: ParityCheck): Stage => ({
  timeout: '5m',
  ...stage,
  with: {
    arms,
    params,
    ...(except === undefined ? {} : { except }),
    ...(python === undefined ? {} : { python }),
    ...stage.with,
  },
});

const fromEntry = ['arms', 'params', 'except', 'python'] as const;

const misplaced = (stage: string, { with: written = {} }: Stage): Diagnostic[] =>
  fromEntry
    .filter((key) => key in written)
    .map((key) => ({
      code: 'AR366',
      message: `"${key}" stands in the entry under parity, not in the stage that checks it`,
      at: { kind: 'config', pointer: pointerOf('stages', stage, 'with', key), key: true },
      hint: 'Move it there, so that every check of the same name asks the same',
    }));

/** Jobs name the check whose arms they are, so that what is changed for one of them is changed for all. */
const unknownOfJobs = ({ stages, parity = {} }: Config): Diagnostic[] =>
  stageList({ stages }).flatMap(([name, { uses, with: written }]) => {
    const check = uses === 'job' ? written?.parity : undefined;
    if (typeof check !== 'string' || Object.hasOwn(parity, check)) return [];
    return [unknownCheck([name, 'parity'], check, Object.keys(parity))];
  });

function unknownCheck(
  [stage, key]: readonly [string, 'check' | 'parity'],
  check: string,
  known: readonly string[],
): Diagnostic {
  const hint = didYouMean(check, known) ?? (known.length === 0 ? 'Declare it under parity' : undefined);
  return {
    code: 'AR365',
    message: `there is no parity check "${check}"`,
    at: { kind: 'config', pointer: pointerOf('stages', stage, 'with', key) },
    ...(hint === undefined ? {} : { hint }),
  };
}

function freeName(name: string, stages: { readonly [name: string]: Stage }): string {
  let free = name;
  for (let number = 2; Object.hasOwn(stages, free); number += 1) free = `${name}-${number}`;
  return free;
}
