import { failureExitCode } from '../model/exit-code.js';
import { type Failure, FailureError } from '../model/failure.js';
import type { OutputRecord } from '../model/fingerprint.js';
import type { Task } from '../model/plan.js';
import type { AttemptFolder } from '../model/ports.js';
import type { StageResult } from '../model/stage.js';
import type { AttemptInput, AttemptPorts } from './attempt-ports.js';
import { stageContext } from './stage-context.js';
import { outputsAfter, outputsBefore } from './outputs.js';
import { supervise } from './supervise.js';

export type AttemptResult =
  | { readonly ok: true; readonly outputs: readonly OutputRecord[]; readonly summary?: string }
  | { readonly ok: false; readonly failure: Failure };

/** One try of one task: the behaviour runs under its time limits, then what it left behind is checked. */
export async function runAttempt(input: AttemptInput, ports: AttemptPorts): Promise<AttemptResult> {
  const { task } = input;
  const missing = [...task.inputs, ...(task.description.reads ?? [])].filter(
    (pattern) => ports.files.expand([pattern]).length === 0,
  );
  if (missing.length > 0) return { ok: false, failure: { code: 'input-missing', inputs: missing } };

  const before = outputsBefore(task, ports.files);
  const folder = ports.openAttempt(task, input.attempt);
  const done = await supervise(
    {
      ...limitsOf(task),
      clock: ports.clock,
      stop: input.stop,
      kill: input.kill,
      watchIdle: (ms, onIdle) => ports.watchIdle(folder, ms, onIdle),
    },
    (supervisor) =>
      settle(folder, () => input.behaviour.run(task.options, stageContext(input, { ports, folder, supervisor }))),
  );
  if (!done.ok) return done;

  const after = outputsAfter(task, ports.files, before);
  if (!after.ok) return after;
  const invalid = await schemaFailure(task, ports);
  if (invalid) return { ok: false, failure: invalid };
  return { ok: true, outputs: after.outputs, ...(done.summary === undefined ? {} : { summary: done.summary }) };
}

const limitsOf = (task: Task): { timeoutMs?: number; idleMs?: number } => ({
  ...(task.timeoutMs === undefined ? {} : { timeoutMs: task.timeoutMs }),
  ...(task.idleMs === undefined ? {} : { idleMs: task.idleMs }),
});

/** Nothing but `true` is a pass, and nothing but a failure with a code is a failure. */
function isResult(value: unknown): value is StageResult {
  if (typeof value !== 'object' || value === null) return false;
  const { ok, failure, summary } = value as { ok?: unknown; failure?: { code?: unknown }; summary?: unknown };
  if (ok === true) return summary === undefined || typeof summary === 'string';
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
    if (isResult(result)) return result;
    return { ok: false, failure: { code: 'behaviour-crashed', detail: 'run() did not answer with a result' } };
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
