import { createHash } from 'node:crypto';
import { GitProblem } from './git-problem.js';
import type { Git } from './git-run.js';

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
}

/** What git calls by these names, in their order; undefined for what it does not have. Names are anything that git understands. */
export async function objectsCalled(git: Git, names: readonly string[]): Promise<readonly (GitObject | undefined)[]> {
  if (names.length === 0) return [];
  const said = await git.run(['cat-file', '-z', '--batch-check'], { input: `${names.join('\0')}\0` });
  let rest = said.stdout.toString('utf8');
  return names.map((name) => {
    // By its name, which may hold line breaks.
    const missing = `${name} missing\n`;
    const found = rest.startsWith(missing) ? undefined : /^([0-9a-f]{40,64}) (\w+) (\d+)\n/.exec(rest);
    rest = rest.slice(found?.[0].length ?? missing.length);
    return found ? { id: found[1]!, type: found[2]!, size: Number(found[3]) } : undefined;
  });
}

/** Calls back with each object as it lies in the repository, whatever its name promises. Never holds more than a part of them. */
export async function readObjects(
  git: Git,
  objects: readonly GitObject[],
  see: (object: GitObject, content: Buffer) => void,
): Promise<void> {
  for (const part of parted(objects)) {
    const input = part.map(({ id }) => `${id}\n`).join('');
    const { stdout } = await git.run(['cat-file', '--batch'], { input, timeoutMs: 600_000 });
    let at = 0;
    for (const { id } of part) {
      const end = stdout.indexOf(0x0a, at);
      const [said, type = '', size] = stdout.subarray(at, end).toString('latin1').split(' ');
      if (said !== id || size === undefined) throw unreadable(id);
      const length = Number(size);
      see({ id, type, size: length }, stdout.subarray(end + 1, end + 1 + length));
      at = end + 1 + length + 1;
    }
  }
}

/** The name that git gives to a content. */
export function nameOf(type: string, content: Buffer, idLength: number): string {
  const sum = createHash(idLength === 40 ? 'sha1' : 'sha256').update(`${type} ${content.length}\0`);
  for (let at = 0; at < content.length; at += piece) sum.update(content.subarray(at, at + piece));
  return sum.digest('hex');
}

function* parted(objects: readonly GitObject[]): Iterable<readonly GitObject[]> {
  let part: GitObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    if (object.size > mostBytes) throw tooLarge(object);
    if (part.length > 0 && bytes + object.size > partBytes) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(object);
    bytes += object.size;
  }
  if (part.length > 0) yield part;
}

const piece = 1 << 30;
const partBytes = 1 << 26;
/** Twice this much memory is wanted for it. */
const mostBytes = 3 << 29;

const unreadable = (id: string): GitProblem =>
  new GitProblem({
    reason: 'git-failed',
    what: `git cannot read the object ${id}`,
    fix: 'Run git fsck, which names what is missing or damaged, and go on when it is mended',
  });

const tooLarge = ({ id, size }: GitObject): GitProblem =>
  new GitProblem({
    reason: 'unsupported',
    what: `the object ${id} has ${size} bytes, which is more than can be read to see whether it is what its name says`,
    fix: 'Let git ignore the file, or keep it elsewhere',
  });
