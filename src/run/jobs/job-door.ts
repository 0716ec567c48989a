import { resolve } from 'node:path';
import type { FileStamp } from '../../model/fingerprint.js';
import type { CommandExit } from '../../model/ports.js';
import type { JobEnd, JobFacts, JobWish } from '../../model/stage-job.js';
import type { AttemptInput, AttemptPorts } from '../attempt/attempt-ports.js';
import type { Supervisor } from '../attempt/supervise.js';
import { inputDigests } from '../freshness/fingerprint.js';
import type { JobResult } from './job-errand.js';

interface DoorParts {
  readonly ports: AttemptPorts;
  readonly supervisor: Supervisor;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
}

/**
 * A behaviour's way to its cluster. When the runner is told to stop, the job stays and the runner goes; when the time of the
 * attempt is over, the job is ended.
 */
export function jobDoor(
  input: AttemptInput,
  { ports, supervisor, cwd, env }: DoorParts,
): (wish: JobWish & { readonly cwd?: string }) => Promise<JobEnd> {
  const { task } = input;
  let count = 0;
  return async (wish) => {
    const ending = supervisor.ending();
    if (ending) return { ok: false, failure: ending, job: noFacts };
    if (!task.on || !input.job) {
      const detail = 'the stage runs on no cluster, so it can submit no job';
      return { ok: false, failure: { code: 'behaviour-failed', detail }, job: noFacts };
    }
    const [letGo, cancel] = [new AbortController(), new AbortController()];
    const errand = {
      job: count,
      run: wish.run,
      cwd: wish.cwd === undefined ? cwd : resolve(cwd, wish.cwd),
      env: { ...env, ...wish.set, ...wish.env },
      passed: ports.passedTo(task),
      cluster: task.on.cluster,
      resources: { ...task.on.resources, ...wish.resources },
      inputs: inputDigests(task, ports.files),
      before: Object.fromEntries([...(input.before ?? [])].map(([path, stamp]) => [path, bare(stamp)])),
      ...(wish.because ? { because: wish.because } : {}),
      ...(wish.set ? { set: wish.set } : {}),
      ...(wish.look ? { look: wish.look } : {}),
    };
    count += 1;
    const asked = input.job(errand, { letGo: letGo.signal, cancel: cancel.signal });
    const exit = asked.then(ended, ended);
    const end = (): void => (supervisor.ending()?.code === 'cancelled' ? letGo : cancel).abort();
    supervisor.adopt({ exit, stop: end, kill: end });
    const result = await asked;
    input.jobEnded?.(result);
    const failure = supervisor.ending() ?? result.failure;
    const job = factsOf(result);
    return failure ? { ok: false, failure, job } : { ok: true, job };
  };
}

const ended = (): CommandExit => ({ kind: 'exited', exitCode: 0 });

const bare = ({ size, mtimeNs, ctimeNs, ino }: FileStamp): FileStamp => ({ size, mtimeNs, ctimeNs, ino });

const noFacts: JobFacts = { requeues: 0, runMs: 0, gpuHours: 0, followed: false, lines: [] };

function factsOf({ end, id, followed, lines = [] }: JobResult): JobFacts {
  if (!end) return { ...noFacts, followed, lines };
  const { how, exitCode, requeues, runMs, gpuHours } = end;
  const code = exitCode === undefined ? {} : { exitCode };
  return { ...(id === undefined ? {} : { id }), how, ...code, requeues, runMs, gpuHours, followed, lines };
}
