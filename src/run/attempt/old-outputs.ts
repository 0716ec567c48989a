import { asOfNow } from '../../model/files/as-of-now.js';
import { changedNs, earliest, type FileStamp, isBefore, secondOfNs } from '../../model/fingerprint.js';
import type { Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { isMeasuredOutput, measuredIn, nothingMeasured } from '../freshness/measured-by.js';
import type { AttemptInput, AttemptPorts } from './attempt-ports.js';
import { type OldFiles, type OutputsBefore, outputsBefore } from './outputs.js';

/** What was there when an attempt began, and what of it is out of the way until it ends. */
export interface OldOutputs extends OldFiles {
  readonly before: OutputsBefore;
  /** To be called however the attempt ends: what nobody wrote anew is where it was. */
  putBack(): void;
}

type Begun = Pick<AttemptInput, 'task' | 'attempt' | 'folder' | 'leftovers' | 'runBeganNs' | 'mustBeNew'>;
type Ports = Pick<AttemptPorts, 'files' | 'clock' | 'setAside' | 'diskTime'>;

/**
 * No date tells a file that was touched from one that was written with the same content again. So where somebody measures by
 * an output, what is there from before steps aside, and what is there in the end was made meanwhile.
 */
export function oldOutputs(input: Begun, { files, clock, setAside, diskTime }: Ports): OldOutputs {
  const { task, attempt, runBeganNs = secondOfNs(clock.now()) } = input;
  const before = new Map(outputsBefore(task, asOfNow(files), input.leftovers));
  const old = setAside && before.size > 0 && isRedoneWhole(task) ? fromBefore(before, input, files) : [];
  const had = old.length > 0 ? task.outputs.filter((output) => files.expand([output]).length > 0) : [];
  const stepped = old.length > 0 ? setAside!(task, old) : undefined;
  const gone = new Set(stepped?.paths);
  for (const path of old)
    if (gone.has(path)) before.delete(path);
    // A link, or a file on another disk: the same content in it again is no sign of work.
    else before.set(path, { ...before.get(path)!, digest: files.digest(path) });
  // A job may have begun before its attempt; and what an earlier attempt left may be gone on with, but not linked to.
  const which = input.mustBeNew && isMeasuredOutput(task, input.mustBeNew()) ? 'after' : 'now';
  const nowNs = (task.outputs.length === 0 ? undefined : diskTime?.(input.folder, which)) ?? runBeganNs;
  const runNs = earliest([runBeganNs, nowNs]);
  const since = { linkedNs: task.on ? runNs : nowNs, bornNs: task.on || attempt > 1 ? runNs : nowNs };
  return {
    before,
    aside: new Set(had),
    isBrought: (path, stamp) => isBrought(path, stamp, { task, files, before, since }),
    putBack: () => stepped?.putBack(),
  };
}

/**
 * An agent goes on with what is there, a job outlives its attempt, and a worktree is thrown away: there it is only the stamps
 * that tell.
 */
const isRedoneWhole = ({ agent, on, isolation, description, part }: Task): boolean =>
  !agent && !on && !isolation && !description.jobs && !part;

/** Not what the task says it reads as well: that is updated in place. */
function fromBefore(
  before: OutputsBefore,
  { task, attempt, runBeganNs = 0n, mustBeNew }: Begun,
  files: Files,
): string[] {
  const measured = measuredIn([...before.keys()], task, mustBeNew?.() ?? nothingMeasured, files);
  const wanted = [...before].filter(([path]) => measured.has(path));
  if (wanted.length === 0) return [];
  const read = new Set(files.expand([...task.inputs, ...(task.description.reads ?? [])]));
  return wanted.flatMap(([path, stamp]) => {
    // What a failed attempt of this run left, such as a checkpoint, is gone on with.
    const isOld = attempt === 1 || isBefore(changedNs(stamp), runBeganNs);
    return isOld && !read.has(path) ? [path] : [];
  });
}

interface Seen {
  readonly task: Task;
  readonly files: Files;
  readonly before: OutputsBefore;
  readonly since: { readonly linkedNs: bigint; readonly bornNs: bigint };
}

/** What is born before the attempt, and was not here then, came by a link or was moved here. */
function isBrought(path: string, stamp: FileStamp, { task, files, before, since }: Seen): boolean {
  if (before.get(path)?.ino === stamp.ino) return false;
  const origin = files.origin?.(path);
  if (!origin) return false;
  const { id, bornNs, isLinked } = origin;
  if (isLinked) {
    const read = files.expand([...task.inputs, ...(task.description.reads ?? [])]).filter((input) => input !== path);
    if (read.some((input) => files.origin?.(input)?.id === id)) return true;
  }
  const sinceNs = isLinked ? since.linkedNs : since.bornNs;
  return bornNs === undefined ? isLinked && isBefore(changedNs(stamp), sinceNs) : isBefore(bornNs, sinceNs);
}
