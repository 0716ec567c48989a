import { expect, test } from 'vitest';
import { judgeIteration } from '../../../src/run/iterate/judge-iteration.js';
import { changesOnlySeed } from '../../../src/run/iterate/only-seed.js';
import { LoopStudy, rules } from './loop-study.js';

test('a better number counts for nothing when nothing, or nothing but a seed, was changed', () => {
  const best = rules({ keep: 'best' });
  const loop = new LoopStudy(best, [3]);
  loop.run(5);
  const measured = {
    type: 'iteration-measured',
    number: 1,
    repeat: 1,
    run: '2-a',
    value: 1,
    usd: 0,
    unpricedCalls: 0,
    workedMs: 0,
  } as const;
  const judge = (files: number, onlySeed: boolean) =>
    judgeIteration(loop.state!, measured, { rules: best, changed: { files, onlySeed } });
  expect(judge(0, false)).toEqual({
    verdict: 'discarded',
    progress: false,
    why: 'nothing was changed, so a better number would be luck',
  });
  expect(judge(1, true).why).toBe('nothing but a seed was changed, so a better number would be luck');
  expect(judge(1, false)).toEqual({ verdict: 'kept', progress: true, why: 'loss is 1 after 3: won 2', value: 1 });
});

const patch = (...lines: string[]): string =>
  ['diff --git a/t.py b/t.py', 'index 1..2 100644', '--- a/t.py', '+++ b/t.py', '@@ -1,2 +1,2 @@', ...lines].join('\n');

test.each([
  ['an assignment', ['-seed = 1', '+seed = 7'], true],
  ['a constant of a longer name', [' x', '-RANDOM_SEED: 1', '+RANDOM_SEED: 22'], true],
  ['a call', ['-torch.manual_seed(3)', '+torch.manual_seed(4)'], true],
  ['an argument', ['-run --seed 3 --lr 1', '+run --seed 4 --lr 1'], true],
  ['a key of JSON', ['-  "seed": 3,', '+  "seed": 4,'], true],
  ['a seed that is no plain number', ["-seed = '7a'", "+seed = '7b'"], true],
  ['a seed in another writing', ['-SEED = 1_000', '+SEED = 0x7f'], true],
  ['a seed by another name', ['-split(x, random_state=1)', '+split(x, random_state=2)'], true],
  ['a seed and a word about it', ['-seed = 1', '+seed = 7  # a better one', '+# tried many', '+'], true],
  ['where a line stands', ['-seed = 1', '-x = 1', '+seed = 2', '+  x = 1'], false],
  ['a seed that is worked out', ['-seed = 1', '+seed = pick()'], false],
  ['what is switched on with it', ['-seed_everything = True', '+seed_everything = False'], false],
  ['a text with a sign of comments', ["-url = 'a#1'", "+url = 'a #2'"], false],
  ['a seed and something else in one line', ['-run --seed 3 --lr 1', '+run --seed 4 --lr 2'], false],
  ['a seed and another line', ['-seed = 1', '-lr = 1', '+seed = 2', '+lr = 2'], false],
  ['another number', ['-lr = 1', '+lr = 2'], false],
  ['another spelling', ['-seed = 7', '+seed=8'], true],
  ['another spelling of an argument', ['-run --seed 3 --lr 1', '+run --seed=4 --lr 1'], true],
  ['other quotes', ["-  'seed': 3", '+  "seed": 4,'], true],
  ['a number in hex, and one that is worked out', ['-seed = 0x2a', '+seed = int("4") + 3'], true],
  ['a list', ['-seeds: [1, 2, 3]', '+seeds: [4, 5, 6]'], true],
  ['in the middle of a name', ['-const randomSeed = 1;', '+const randomSeed = 1_000;'], true],
  ['what a library calls it', ['-m = Forest(random_state=1)', '+m = Forest(random_state=2)'], true],
  ['a generator', ['-rng = np.random.default_rng(1)', '+rng = np.random.default_rng(9)'], true],
  ['the clock', ['-seed = 1', '+seed = time.time()'], true],
  ['a comment beside it', ['-seed = 1', '+# a lucky one', '+seed = 2  # lucky'], true],
  ['a line more that sets one', ['+torch.manual_seed(2)'], true],
  ['a line less', ['-seed = 2'], true],
  ['a line more that does more', ['+model = Net(seed=2, width=64)'], false],
  ['a seed and words of a command', ['-run lr 1 seed 3', '+run lr 2 seed 4'], false],
  ['nothing but a comment', ['-# one', '+# two'], false],
  ['a heading of a prompt', ['-# Be brief', '+# Be exact'], false],
  ['a number of what only looks like one', ['-seedling = 3', '+seedling = 4'], false],
  ['what only looks like one', ['-seedling = "a"', '+seedling = "b"'], false],
])('only a seed: %s', (_name, lines, expected) => {
  expect(changesOnlySeed(patch(...lines))).toBe(expected);
});

test.each([
  ['t.c', '#define LR 1', '#define LR 2'],
  ['prompt.md', '# Be quick', '# Be careful'],
  ['t.py', 'x = a // 2', 'x = a // 3'],
])('what is no comment in %s is more than a seed', (file, from, to) => {
  const changed = patch('-seed = 1', `-${from}`, '+seed = 2', `+${to}`).replace('a/t.py b/t.py', `a/${file} b/${file}`);
  expect(changesOnlySeed(changed)).toBe(false);
});

test('a file that is new, or whose bytes are not text, is more than a seed', () => {
  expect(changesOnlySeed('diff --git a/s b/s\nnew file mode 100644\n@@ -0,0 +1 @@\n+seed = 1')).toBe(false);
  expect(changesOnlySeed('diff --git a/s b/s\nGIT binary patch\nliteral 3')).toBe(false);
  expect(changesOnlySeed('')).toBe(false);
});
