/**
 * Whether a difference (`git diff`) changes nothing but seeds: another number, another spelling of it, a line more or less
 * that does nothing but set one, and what is said about it in comments. Where that cannot be told it is not so.
 */
export function changesOnlySeed(patch: string): boolean {
  const removed: string[] = [];
  const added: string[] = [];
  let comment: RegExp | undefined;
  const put = (line: string, into: string[]): void => {
    const code = (comment ? line.slice(1).replace(comment, '') : line.slice(1)).trimEnd();
    if (code !== '') into.push(code);
  };
  let inHunk = false;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) {
      inHunk = false;
      comment = comments.find(([ending]) => ending.test(line))?.[1];
    } else if (line.startsWith('@@ ')) inHunk = true;
    else if (!inHunk && /^(new file|deleted file|old mode|GIT binary patch|Binary files)/.test(line)) return false;
    else if (inHunk && line.startsWith('-')) put(line, removed);
    else if (inHunk && line.startsWith('+')) put(line, added);
  }
  if (![...removed, ...added].some(namesSeed)) return false;
  return areSame(removed, added) || areSame(withoutSeedLines(removed), withoutSeedLines(added));
}

const areSame = (before: readonly string[], after: readonly string[]): boolean =>
  before.length === after.length && before.every((line, index) => plain(line) === plain(after[index]!));

/** Seeds as `#`, and without what is only a way of writing; where a line begins may say more. */
function plain(line: string): string {
  if (!namesSeed(line)) return line;
  const bare = line.replace(seeds, (_all, name: string) => `${name}#`).replace(/[\s"'`()[\];,]/g, '');
  return `${/^\s*/.exec(line)![0]}${bare}`;
}

const namesSeed = (line: string): boolean => line.search(seeds) >= 0;

const withoutSeedLines = (lines: readonly string[]): readonly string[] => lines.filter((line) => !onlySets.test(line));

/** `seed`, `SEEDS`, `randomSeed`, `rng_seed`, `seed_everything`, and what libraries call it; but not `seedling`. */
const name = String.raw`(?:(?<![A-Za-z])[sS]eeds?(?![a-z])|(?<=[a-z])Seeds?(?![a-z])|(?<![A-Z])SEEDS?(?![A-Za-z])|(?:random_?|[rR]andom|RANDOM_)(?:[sS]tate|STATE)|default_rng|PRNGKey|srand)\w*`;
const quote = '["\'`]?';
/** `7`, `0x7`, `1_000`, `7b`: whatever begins with a digit. */
const number = String.raw`[-+]?\d\w*(?:\.\d*)?(?:[eE][-+]?\d+)?`;
const clock = String.raw`None|null|undefined|time\.time(?:_ns)?\(\)|Date\.now\(\)`;
const value = String.raw`(?:(?:int|float|round|Number|BigInt)\s*\(\s*)*${quote}(?:${number}|${clock})${quote}\)*(?:\s*(?:\*\*|<<|>>|[-+*/%^|&,])\s*${number})*`;
const set = String.raw`(${name})["'${'`'}\])]*(?:\s*(?::\s*int\s*=\s*|(?:[:=,([]\s*)+)|\s+)${value}`;

const seeds = new RegExp(set, 'g');
const onlySets = new RegExp(
  String.raw`^\s*(?:(?:export|const|let|var|final|static|int|long)\s+|#\s*define\s+)*${quote}[\w.]*?${set}[\s"'${'`'}()\[\];,]*$`,
);

/** What a comment is depends on the language: a heading of a prompt is none. What has quotes behind it may be text. */
const comments: readonly (readonly [ending: RegExp, comment: RegExp])[] = [
  [/\.(?:py|sh|ya?ml|toml|r|jl)$/i, /(?:^|\s)#[^"'`]*$/],
  [/\.(?:[cm]?[jt]sx?|c|cc|cpp|cu|h|rs|go|java)$/i, /(?:^|\s)\/\/[^"'`]*$/],
];
