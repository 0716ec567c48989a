import { parseDuration } from '../../model/duration.js';
import { gateMap } from '../../model/gates/gate-words.js';
import type { GateCheck } from '../../model/generated/config.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import { runFixCommand } from '../errors/fix-command.js';
import { fileFacts } from '../freshness/file-facts.js';
import type { PastResult } from '../freshness/freshness.js';
import { isData } from '../freshness/measured-by.js';
import { breachOf } from '../protect/breach.js';
import type { StopSwitch } from '../stop-switch.js';
import { checklistOf } from './checklist.js';
import type { GatePorts, Judged } from './gate-ports.js';
import { readMetrics } from './metrics.js';
import { evidenceOf, evidencePatterns } from './shown.js';

export interface CheckTools {
  readonly run: string;
  readonly plan: Plan;
  readonly vars: { readonly [name: string]: Json };
  readonly ports: AttemptPorts;
  readonly gates: GatePorts;
  readonly stop: StopSwitch;
  state(): RunState;
  past(id: TaskId): PastResult | undefined;
  record: Parameters<typeof breachOf>[2]['record'];
}

/** Whether all checks of a gate hold. What cannot be worked out does not hold, and neither do no checks at all. */
export async function runChecks(task: Task, attempt: number, tools: CheckTools): Promise<Judged> {
  const gate = gateMap(task.gate!);
  const checks = gate.kind === 'auto' ? gate.checks : [];
  if (checks.length === 0) return { kind: 'verdict', verdict: 'reject', reasons: ['there are no checks'] };
  const one = new Checks(task, attempt, tools);
  const wrong: string[] = [];
  for (const [index, check] of checks.entries()) {
    if (tools.stop.signal) return { kind: 'ended', end: { how: 'cancelled' } };
    const problem = await one.problemWith(check, index);
    if (problem === 'cancelled') return { kind: 'ended', end: { how: 'cancelled' } };
    if (problem !== undefined) wrong.push(problem);
  }
  if (breachOf(tools.ports.guard, task, tools)) return { kind: 'ended', end: { how: 'violated' } };
  if (wrong.length === 0) return { kind: 'verdict', verdict: 'pass', reasons: [`${checks.length} checks hold`] };
  return { kind: 'verdict', verdict: gate.revise ? 'revise' : 'reject', reasons: wrong };
}

class Checks {
  readonly #task: Task;
  readonly #attempt: number;
  readonly #tools: CheckTools;

  constructor(task: Task, attempt: number, tools: CheckTools) {
    this.#task = task;
    this.#attempt = attempt;
    this.#tools = tools;
  }

  problemWith(check: string | GateCheck, index: number): Promise<string | undefined> {
    if (typeof check === 'string') return this.#expression(check);
    return check.command === undefined ? this.#file(check) : this.#command(check, index);
  }

  async #expression(text: string): Promise<string | undefined> {
    const { plan, vars, gates, ports, state } = this.#tools;
    const { matrix = {}, outputs: own } = this.#task;
    const paths = evidenceOf([...new Set([...own, ...evidencePatterns(this.#task)])], ports.files).map(
      ({ path }) => path,
    );
    const strange = paths.filter((path) => isData(path) && !this.#isKnown(path));
    const { metrics: published = {} } = state().tasks.get(this.#task.id) ?? {};
    const tests = checklistOf(this.#task, { plan: () => plan, state });
    const { outputs, metrics, problems } = await readMetrics(paths, { ...gates, published });
    problems.unshift(...strange.map(strangeWords));
    const { loadExpressions } = await import('../../source/expression/expression.js');
    // Of no test at all everything would be true, so there is then no such name.
    const checklist = tests.length === 0 ? {} : { tests: tests.map((test): JsonObject => ({ detail: '', ...test })) };
    const params = { ...vars, ...matrix };
    const names: JsonObject = { metrics, outputs, params, vars, matrix, name: plan.name, ...checklist };
    const answer = (await loadExpressions()).evaluate(text, names);
    if (problems.length > 0) return `${text}: ${problems.join('; ')}`;
    if (!answer.ok) return `${text}: ${answer.error.map(({ message }) => message).join('; ')}`;
    return answer.value ? undefined : `${text} is false`;
  }

  /** Made by a task of this run, or by one whose result still holds; or named on purpose, and then recorded as an input. */
  #isKnown(path: string): boolean {
    const { plan, ports, state, past } = this.#tools;
    const facts = fileFacts(
      path,
      ports.files,
      { ...state(), past: (id) => past(id)?.state },
      { task: this.#task, plan },
    );
    return facts?.madeBy !== undefined || facts?.isOutside === true;
  }

  async #file({ file, schema }: GateCheck): Promise<string | undefined> {
    const { ports } = this.#tools;
    const found = ports.files.expand([file!]);
    if (found.length === 0) return `${file} is not there`;
    for (const path of found) {
      if ((ports.files.stamp(path)?.size ?? 0) === 0) return `${path} is empty`;
      const problem = schema === undefined ? undefined : await ports.checkSchema(path, schema);
      if (problem !== undefined) return `${path} does not satisfy ${schema}: ${problem}`;
    }
    return undefined;
  }

  async #command({ command, timeout = longest }: GateCheck, index: number): Promise<string | undefined> {
    const { ports, stop, run } = this.#tools;
    const { idleMs: _, ...task } = this.#task;
    const folder = ports.openFix(task, this.#attempt, `check-${index + 1}`);
    const env = {
      ...task.env,
      AUTORESEARCH_RUN: run,
      AUTORESEARCH_TASK: task.id,
      AUTORESEARCH_ATTEMPT: String(this.#attempt),
      AUTORESEARCH_ROOT: ports.workspace.root,
    };
    const limited = { ...task, timeoutMs: parseDuration(timeout)! };
    const failure = await runFixCommand({ run: command!, env, folder, task: limited }, { ports, stop });
    if (!failure) return undefined;
    if (failure.code === 'cancelled') return 'cancelled';
    const said = ports.said(folder);
    const last = [...said.stdout, ...said.stderr].filter((line) => line.trim() !== '').at(-1);
    return `${command} ${ports.failureWords(failure)}${last === undefined ? '' : `: ${last.trim()}`}`;
  }
}

const strangeWords = (path: string): string =>
  `${path} is not what a task of this run made; a file from elsewhere has to be named under inputs`;

/** A check that never ends would keep the run for ever. */
const longest = '10m';
