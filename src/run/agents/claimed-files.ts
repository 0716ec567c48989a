import { posix } from 'node:path';
import type { ReplyForm, WorkReply } from '../../model/agents/reply.js';
import { isGlob } from '../../model/glob.js';
import type { Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import type { Bounds } from '../protect/bounds.js';
import type { Question } from './ask-agent.js';

interface Claimant {
  readonly task: Task;
  readonly attempt: number;
  readonly form: ReplyForm;
  readonly access: 'read' | 'write';
}

interface Around {
  readonly root: string;
  readonly files: Files;
  readonly bounds: Pick<Bounds, 'forbidden'>;
}

/** Holds what replies say of files against what is there and what has changed. */
export class ClaimedFiles {
  /** What changed while the task's agents were asked; undefined of a task that an earlier process began: nobody knows what changed then. */
  readonly #changed = new Map<string, Set<string> | undefined>();

  /** Also while somebody was asked who did not come to a reply. */
  saw({ id }: Task, files: readonly string[]): void {
    for (const file of files) this.#changed.get(id)?.add(file);
  }

  /** Only who was to write, and says that it is done, claims to have changed something. */
  question({ task, attempt, form, access }: Claimant, around: Around): Pick<Question<never>, 'wrongClaim'> {
    if (!this.#changed.has(task.id)) this.#changed.set(task.id, attempt === 1 ? new Set() : undefined);
    if (form !== 'work' || access !== 'write') return {};
    const known = this.#changed.get(task.id);
    return {
      wrongClaim: (reply: WorkReply, changed: readonly string[]) => {
        return reply.outcome === 'done'
          ? wrongClaims(reply, task, { ...around, changed: known ?? changed, known })
          : undefined;
      },
    };
  }
}

type Changes = Around & { readonly changed: Iterable<string>; readonly known: unknown };

function wrongClaims({ files }: WorkReply, task: Task, around: Changes): string | undefined {
  const changed = [...around.changed];
  const wrong = files.flatMap(({ path }) => {
    const why = wrongWith(path, task, { ...around, changed });
    return why === undefined ? [] : [`${path}, which ${why}`];
  });
  if (wrong.length === 0) return undefined;
  const really = changed.length === 0 ? 'nothing has' : `what has is ${some(changed)}`;
  return `"files" says that it changed ${some(wrong)} (${really})`;
}

function wrongWith(
  claimed: string,
  { cwd }: Task,
  { root, files, bounds, changed, known }: Changes & { readonly changed: readonly string[] },
): string | undefined {
  const inside = placesOf(claimed, root, cwd);
  if (inside.length === 0) return 'is outside of the project';
  // A folder stands for what is in it; and what was taken away is not there any more.
  if (inside.some((path) => changed.some((file) => file === path || file.startsWith(`${path}/`)))) return undefined;
  if (inside.every((path) => bounds.forbidden([path]).length > 0)) return 'it may not write';
  if (!inside.some((path) => isThere(path, files))) return 'is not there';
  return known === undefined ? undefined : 'has not changed';
}

/** Whoever works in a folder of the project may name a file from there, or from the project folder. */
function placesOf(claimed: string, root: string, cwd: string): readonly string[] {
  const found = [root, posix.join(root, cwd)].map((base) => posix.relative(root, posix.resolve(base, claimed)));
  return [...new Set(found)].filter((path) => path !== '' && path !== '..' && !path.startsWith('../'));
}

const isThere = (path: string, files: Files): boolean =>
  files.stamp(path) !== undefined || (!isGlob(path) && files.expand([path]).length > 0);

function some(items: readonly string[]): string {
  const more = items.length - most;
  return [...items.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

const most = 5;
