import { type Published, publishedFailure, publishedProblem } from '../../model/agents/published.js';
import { failureExitCode } from '../../model/exit-code.js';
import { type Failure, FailureError } from '../../model/failure.js';
import { asOfNow } from '../../model/files/as-of-now.js';
import type { OutputRecord } from '../../model/fingerprint.js';
import type { Task } from '../../model/plan.js';
import type { AttemptFolder, Files } from '../../model/ports.js';
import type { StageContext, StageResult } from '../../model/stage.js';
import type { JobResult } from '../jobs/job-errand.js';
import type { AttemptInput, AttemptPorts } from './attempt-ports.js';
import { type OldOutputs, oldOutputs } from './old-outputs.js';
import { outputsAfter } from './outputs.js';
import { stageContext } from './stage-context.js';
import { supervise } from './supervise.js';

export type AttemptResult = Published &
  (
    | {
        readonly ok: true;
        readonly outputs: readonly OutputRecord[];
        readonly summary?: string;
        readonly warnings?: readonly string[];
        readonly product?: string;
      }
    | { readonly ok: false; readonly failure: Failure }
  );

/** One try of one task. What cannot be looked at has failed. */
export async function runAttempt(input: AttemptInput, ports: AttemptPorts): Promise<AttemptResult> {
  try {
    return await attempted(input, ports);
  } catch (error) {
    if (error instanceof FailureError && error.failure.code === 'name-unreadable')
      return { ok: false, failure: error.failure };
    throw error;
  }
}

/** The behaviour runs under its time limits, then what it left behind is checked. */
async function attempted(input: AttemptInput, ports: AttemptPorts): Promise<AttemptResult> {
  const { task } = input;
  const missing = [...task.inputs, ...(task.description.reads ?? [])].filter(
    (pattern) => asOfNow(ports.files).expand([pattern]).length === 0,
  );
  if (missing.length > 0) return { ok: false, failure: { code: 'input-missing', inputs: missing } };

  const late = task.agent && input.leftovers ? await readAhead(task.outputs, input, ports) : undefined;
  if (late && 'failure' in late) return { ok: false, ...late };
  const old = oldOutputs(input, ports);
  try {
    return await attemptBeside(old, input, ports);
  } finally {
    old.putBack();
    // Whatever it has written, whoever begins now looks anew.
    ports.files.still?.();
  }
}

/** What is old is out of the way, or known. */
async function attemptBeside(old: OldOutputs, input: AttemptInput, ports: AttemptPorts): Promise<AttemptResult> {
  const { task, folder } = input;
  let { before } = old;
  const jobDirs = new Set<string>();
  const jobEnded = ({ adopted, dir }: JobResult): void => {
    // A job that was taken up again may have written before this attempt began.
    if (adopted) before = new Map(Object.entries(adopted));
    if (dir !== undefined) jobDirs.add(dir);
  };
  const done = await supervised({ ...input, before, jobEnded }, ports, (context) =>
    input.behaviour.run(task.options, context),
  );
  // Before anybody reads what it wrote.
  if (task.agent ?? task.passEnv)
    for (const dir of [folder.dir, ...jobDirs]) await ports.scrub({ dir }, task.agent ? 'any' : (task.passEnv ?? []));
  if (!done.ok) return done;
  const published = publishedOf(done);
  const unsound = publishedFailure(published);
  if (unsound) return { ok: false, failure: unsound, ...published };

  const written = await readAhead(task.outputs, input, ports);
  if ('failure' in written) return { ok: false, ...written, ...published };
  const after = outputsAfter(task, written.files, before, old);
  if (!after.ok) return { ...after, ...published };
  const invalid = await schemaFailure(task, ports);
  if (invalid) return { ok: false, failure: invalid, ...published };
  const { summary, warnings, product } = done;
  return {
    ok: true,
    outputs: after.outputs,
    ...published,
    ...(summary === undefined ? {} : { summary }),
    ...(warnings && warnings.length > 0 ? { warnings } : {}),
    ...(product === undefined ? {} : { product }),
  };
}

/** An output may be longer than anybody wants to wait for. Answers with the files as they are when that is done. */
async function readAhead(
  outputs: readonly string[],
  { stop }: Pick<AttemptInput, 'stop'>,
  { files }: Pick<AttemptPorts, 'files'>,
): Promise<{ readonly files: Files } | { readonly failure: Failure }> {
  const still = (): Files => files.still?.() ?? files;
  const seen = still();
  try {
    const hasTakenTime = outputs.length > 0 && (await seen.readAhead?.(seen.expand(outputs), stop));
    return { files: hasTakenTime ? still() : seen };
  } catch (error) {
    if (error instanceof FailureError) return { failure: error.failure };
    // What cannot be read is found out where it is looked at.
    return { files: still() };
  }
}

/** Undefined: everything still holds. */
export async function recheckAttempt(input: AttemptInput, ports: AttemptPorts): Promise<Failure | undefined> {
  const { task, folder, behaviour } = input;
  const done = await supervised(input, ports, (context) => behaviour.recheck!(task.options, context));
  if (task.agent ?? task.passEnv) await ports.scrub(folder, task.agent ? 'any' : (task.passEnv ?? []));
  return done.ok ? undefined : done.failure;
}

function supervised(
  input: AttemptInput,
  ports: AttemptPorts,
  work: (context: StageContext) => Promise<StageResult>,
): Promise<StageResult> {
  const { task, folder } = input;
  const limits = {
    ...limitsOf(task),
    clock: ports.clock,
    stop: input.stop,
    kill: input.kill,
    watchIdle: (ms: number, onIdle: () => void) => ports.watchIdle(folder, ms, onIdle),
  };
  return supervise(limits, (supervisor) =>
    settle(folder, () => work(stageContext(input, { ports, folder, supervisor }))),
  );
}

const limitsOf = (task: Task): { timeoutMs?: number; idleMs?: number } => ({
  ...(task.timeoutMs === undefined ? {} : { timeoutMs: task.timeoutMs }),
  ...(task.idleMs === undefined ? {} : { idleMs: task.idleMs }),
});

const publishedOf = ({ tests, metrics }: Published): Published => ({
  ...(tests ? { tests } : {}),
  ...(metrics ? { metrics } : {}),
});

/** Nothing but `true` is a pass, and nothing but a failure with a code is a failure. */
function isResult(value: unknown): value is StageResult {
  if (typeof value !== 'object' || value === null) return false;
  const { ok, failure, summary, product, warnings } = value as {
    [key in 'ok' | 'summary' | 'product' | 'warnings']?: unknown;
  } & { failure?: { code?: unknown } };
  const isText = (text: unknown): boolean => typeof text === 'string';
  if (ok === true)
    return (
      [summary, product].every((text) => text === undefined || isText(text)) &&
      (warnings === undefined || (Array.isArray(warnings) && warnings.every(isText)))
    );
  return (
    ok === false &&
    typeof failure === 'object' &&
    failure !== null &&
    Object.hasOwn(failureExitCode, String(failure.code))
  );
}

/** A behaviour of another lab may throw, or answer with something that is no result: both are failures. */
async function settle(folder: AttemptFolder, work: () => Promise<StageResult>): Promise<StageResult> {
  try {
    const result: unknown = await work();
    const wrong = isResult(result) ? publishedProblem(result) : 'run() did not answer with a result';
    if (wrong === undefined) return result as StageResult;
    return { ok: false, failure: { code: 'behaviour-crashed', detail: wrong } };
  } catch (error) {
    if (error instanceof FailureError) return { ok: false, failure: error.failure };
    folder.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, failure: { code: 'behaviour-crashed', detail } };
  }
}

async function schemaFailure(task: Task, ports: AttemptPorts): Promise<Failure | undefined> {
  for (const [output, schema] of Object.entries(task.schema)) {
    for (const file of ports.files.expand([output])) {
      const detail = await ports.checkSchema(file, schema);
      if (detail !== undefined) return { code: 'output-invalid', output: file, detail };
    }
  }
  return undefined;
}
