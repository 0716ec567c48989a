import {
  defineStage,
  type JobEnd,
  type JobNews,
  type JobReason,
  type ParameterSet,
  parameterWords,
  type StageContext,
  type StageResult,
  sameParameters,
} from 'autoresearch';
import { captured } from './capture.js';
import { diagnose, errorTable, type Fix, fixWords, type KnownError } from './error-table.js';
import { type Health, HealthWatch, milliseconds } from './health.js';
import { options } from './options.js';

export default defineStage({
  name: 'job',
  summary: 'Submits a job to a cluster, watches its health, mends known errors and submits it again',
  version: '1',
  options,
  describe(written) {
    const { run, smoke, errors = [], rebuild, parity } = written;
    const command = typed(run);
    const fixes = errors.flatMap(({ fix }) => (fix?.run === undefined ? [] : [typed(fix.run)]));
    const problems = errors.flatMap(({ match }) => expressionProblem(match));
    if (written.health?.step !== undefined) problems.push(...expressionProblem(written.health.step));
    return {
      summary: `job: ${command.split('\n')[0]}${smoke ? `, after a smoke test of ${smoke.steps} steps` : ''}`,
      commands: [
        ...(smoke ? [smokeText(smoke.run ?? run, smoke.steps)] : []),
        command,
        ...fixes,
        ...(rebuild === undefined ? [] : [typed(rebuild)]),
      ],
      jobs: true,
      ...(parity === undefined ? {} : { parity }),
      ...(errors.some(({ fix }) => fix?.agent) ? { asks: { role: 'author', helpers: 0 } as const } : {}),
      ...(problems.length > 0 ? { problems } : {}),
    };
  },
  submits: ({ run, smoke, capture }) => (smoke ? undefined : { run: captured(run, capture) }),
  records: () => [],
  async run(written, context): Promise<StageResult> {
    const { run, smoke, health, tries = 3 } = written;
    const table = errorTable(written as Parameters<typeof errorTable>[0]);
    const parts = { table, tries, health, set: context.parameters.first() };
    if (smoke) {
      const env = { AUTORESEARCH_SMOKE: '1', AUTORESEARCH_STEPS: String(smoke.steps) };
      const small = await untilWell({ ...parts, run: smoke.run ?? run, env }, context);
      if (!small.end.ok) return { ok: false, failure: small.end.failure };
      context.log(`smoke test of ${smoke.steps} steps: healthy`);
      parts.set = small.set;
    }
    const { end } = await untilWell({ ...parts, run: captured(run, written.capture), env: {} }, context);
    if (!end.ok) return { ok: false, failure: end.failure };
    const { id, runMs, gpuHours, requeues } = end.job;
    const used = gpuHours > 0 ? `, ${gpuHours.toFixed(2)} GPU-hours` : '';
    const again = requeues > 0 ? `, started again ${requeues} times by the scheduler` : '';
    return { ok: true, summary: `job ${id ?? ''} ran ${Math.round(runMs / 1000)} s${used}${again}` };
  },
});

interface Work {
  readonly run: string | readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly table: readonly KnownError[];
  readonly tries: number;
  readonly health: Health | undefined;
  /** Variables that were changed to mend something. */
  readonly set: ParameterSet;
}

/** Submit, and while the error is one that is known and has tries left: mend, submit again. */
async function untilWell(
  work: Work,
  context: StageContext,
): Promise<{ readonly end: JobEnd; readonly set: Work['set'] }> {
  const failed = new Map<number, number>();
  let { set } = work;
  let because: JobReason | undefined;
  for (;;) {
    const end = await submit({ ...work, set }, because, context);
    const known = end.ok || context.signal.aborted ? undefined : diagnose(work.table, end.job.lines);
    const times = known ? (failed.get(known.index) ?? 0) + 1 : 0;
    if (known) {
      failed.set(known.index, times);
      context.log(`diagnosis: ${known.error.diagnose}`);
    }
    const held = context.parameters.held();
    if (!sameParameters(set, held) && !context.signal.aborted) {
      context.log(`parity: ${parameterWords(held)} holds for every arm now`);
      because = { errorClass: 'job:parity', diagnosis: 'another arm was changed', fix: fixWords({ set: held }) };
      set = held;
      continue;
    }
    if (!known?.error.fix || times >= work.tries) return { end, set };
    const { diagnose: diagnosis, fix, match, name = match.slice(0, 60) } = known.error;
    if (fix.set) {
      context.parameters.change(fix.set, diagnosis);
      set = context.parameters.held();
    }
    // Whoever went on from here before this runner has mended it already.
    const problem = end.job.followed ? undefined : await mend(fix, diagnosis, context);
    context.log(`fix: ${fixWords(fix)}${problem === undefined ? '' : `, which failed: ${problem}`}`);
    because = { errorClass: `job:${name}`, diagnosis, fix: fixWords(fix) };
  }
}

async function submit(
  { run, env, set, health }: Work,
  because: JobReason | undefined,
  context: StageContext,
): Promise<JobEnd> {
  const watch = new HealthWatch(health);
  const more = because ? { because } : {};
  // Work that nobody can use any more is not paid for.
  const look = (news: JobNews): string | undefined =>
    sameParameters(set, context.parameters.held())
      ? watch.look(news)
      : `another arm was changed to ${parameterWords(context.parameters.held())}`;
  const end = await context.job({ run, env, set, look, ...more });
  if (!end.ok) return end;
  const sick = watch.atEnd(end.job.lines);
  return sick === undefined
    ? end
    : { ok: false, failure: { code: 'behaviour-failed', detail: `the job was not healthy: ${sick}` }, job: end.job };
}

/** Undefined: done. A fix that failed does not end the cycle; the next job shows what it is worth. */
async function mend({ run, wait, agent }: Fix, diagnosis: string, context: StageContext): Promise<string | undefined> {
  if (run !== undefined) {
    const end = await context.command(run);
    return end.ok ? undefined : end.failure.code;
  }
  if (wait !== undefined) {
    const end = await context.command(['sleep', String(milliseconds(wait) / 1000)]);
    return end.ok ? undefined : end.failure.code;
  }
  if (!agent) return undefined;
  const prompt = `A job of the stage ${context.stage} failed. Diagnosis: ${diagnosis}. Mend the cause, nothing else.`;
  const end = await context.ask({ prompt, reply: 'work', access: 'write' });
  return end.ok ? undefined : end.failure.code;
}

const typed = (run: string | readonly string[]): string => (typeof run === 'string' ? run.trim() : run.join(' '));

const smokeText = (run: string | readonly string[], steps: number): string =>
  `AUTORESEARCH_STEPS=${steps} ${typed(run)}`;

function expressionProblem(text: string): string[] {
  try {
    new RegExp(text, 'im');
    return [];
  } catch (error) {
    return [`"${text}" is no regular expression: ${(error as Error).message}`];
  }
}
