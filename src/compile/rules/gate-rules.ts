import { upstreamOf } from '../../graph/reach.js';
import type { DiagnosticCode } from '../../model/catalogue/catalogue.js';
import type { AutoGate, Config, Gate, GateCheck, JudgeGate } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { quotedList } from '../../source/quoted-list.js';
import type { Problems } from '../problems.js';
import type { Draft } from '../task/draft.js';

type Path = readonly (string | number)[];

/** What a schema cannot say about gates. Loaded only for a config that has one. */
export function checkGates(config: Config, drafts: readonly Draft[], problems: Problems): void {
  const byStage = new Map(drafts.map((draft) => [draft.task.stage, draft]));
  const rules = new GateRules(config, problems);
  for (const [stage, draft] of byStage) {
    const { gate } = draft.config;
    if (gate !== undefined) rules.check(gate, { stage, draft, upstream: () => stagesBefore(stage, drafts) });
  }
}

interface GatePlace {
  readonly stage: string;
  readonly draft: Draft;
  /** The stage itself and all that it needs. */
  upstream(): ReadonlySet<string>;
}

class GateRules {
  readonly #config: Config;
  readonly #problems: Problems;

  constructor(config: Config, problems: Problems) {
    this.#config = config;
    this.#problems = problems;
  }

  check(gate: Gate, place: GatePlace): void {
    const at = ['stages', place.stage, 'gate'];
    if (gate === 'auto')
      this.#complain('AR330', 'a gate without checks would let everything pass', at, {
        hint: 'Write { kind: auto, checks: […] }, or take the gate out: a task has to pass anyway',
      });
    this.#checkCache(gate, place, at);
    this.#checkShown(gate, place, at);
    if (typeof gate === 'string') return;
    this.#checkRevise(gate, place, at);
    if (gate.kind === 'auto') this.#checkChecks(gate, at);
    if (gate.kind === 'auto-judge') this.#checkJudge(gate, place, at);
    if (gate.kind === 'human' && gate.exhausted !== undefined && gate.revise === undefined)
      this.#complain('AR209', 'exhausted has no effect: a person may send work back as often as they like', at, {
        key: 'exhausted',
        hint: 'Take it out, or say how often work may be sent back: revise: { max: 3 }',
      });
  }

  /** It would be done again when the run goes on after the answer, which would be about something else then. */
  #checkCache(gate: Gate, { draft }: GatePlace, at: Path): void {
    const asks =
      gate === 'human' || (typeof gate === 'object' && (gate.kind === 'human' || gate.exhausted === 'human'));
    if (!asks || draft.task.cache) return;
    this.#complain(
      'AR337',
      'the stage is never cached, so an answer would always be about work that is done again',
      at,
      {
        hint: 'Take cache: false out, or let a judge or checks decide',
      },
    );
  }

  /** A yes to nothing in particular would be a yes to whatever comes. */
  #checkShown(gate: Gate, { draft }: GatePlace, at: Path): void {
    if (gate !== 'human' && (typeof gate === 'string' || gate.kind !== 'human')) return;
    const evidence = (typeof gate === 'object' ? gate.evidence : undefined) ?? draft.task.outputs;
    if (evidence.length > 0) return;
    this.#complain('AR336', 'a person would be shown nothing', at, {
      hint: 'Add evidence to the gate, or outputs to the stage',
    });
  }

  /** Feedback for a stage that the gate does not depend on would change nothing of what is looked at. */
  #checkRevise({ revise }: Exclude<Gate, string>, { stage, upstream }: GatePlace, at: Path): void {
    const to = revise?.stage;
    if (to === undefined || !Object.hasOwn(this.#config.stages, to)) return;
    const before = upstream();
    if (before.has(to)) return;
    this.#complain('AR335', `work cannot be sent back from "${stage}" to "${to}", which does not come before it`, at, {
      path: ['revise', 'stage'],
      hint:
        before.size === 1
          ? 'Take stage out: the work goes back to this stage'
          : `Name one of ${quotedList([...before])}`,
    });
  }

  #checkChecks({ checks }: AutoGate, at: Path): void {
    for (const [index, check] of checks.entries()) {
      if (typeof check === 'string') continue;
      const wrong = wrongWith(check);
      if (wrong !== undefined)
        this.#complain('AR332', wrong, at, {
          path: ['checks', index],
          hint: 'A check is an expression, { command, timeout }, { file } or { file, schema }',
        });
    }
  }

  #checkJudge(gate: JudgeGate, { draft }: GatePlace, at: Path): void {
    const { lifecycle, interactive } = this.#config.agents?.[gate.agent] ?? {};
    if ((lifecycle !== undefined && lifecycle !== 'stateless') || interactive)
      this.#complain(
        'AR331',
        `judge "${gate.agent}" ${interactive ? 'is a terminal program that stays open' : `is ${lifecycle}`}: it would remember what it was told before`,
        at,
        { path: ['agent'], hint: `Let a judge be stateless: an agent of its own with lifecycle: stateless` },
      );
    const evidence = gate.evidence ?? draft.task.outputs;
    if (evidence.length === 0)
      this.#complain('AR336', `judge "${gate.agent}" would be shown nothing`, at, {
        hint: 'Add evidence to the gate, or outputs to the stage',
      });
  }

  #complain(
    code: DiagnosticCode,
    message: string,
    at: Path,
    { hint, path = [], key }: { readonly hint: string; readonly path?: Path; readonly key?: string },
  ): void {
    const pointer = pointerOf(...at, ...path, ...(key === undefined ? [] : [key]));
    this.#problems.add({
      code,
      message,
      at: { kind: 'config', pointer, ...(key === undefined ? {} : { key: true }) },
      hint,
    });
  }
}

function wrongWith({ command, timeout, file, schema }: GateCheck): string | undefined {
  if (command === undefined && file === undefined) return 'this check looks at nothing';
  if (command !== undefined && file !== undefined) return 'this is two checks in one: a command and a file';
  if (timeout !== undefined && command === undefined) return 'timeout has no effect without a command';
  if (schema !== undefined && file === undefined) return 'schema has no effect without a file';
  return undefined;
}

function stagesBefore(stage: string, drafts: readonly Draft[]): ReadonlySet<string> {
  const tasks = drafts.map(({ task }) => task);
  const before = tasks.filter((task) => task.stage === stage).flatMap(({ id }) => [...upstreamOf(id, tasks)]);
  const stageOf = new Map(tasks.map((task) => [task.id, task.stage]));
  return new Set([stage, ...before.map((id) => stageOf.get(id)!)]);
}
