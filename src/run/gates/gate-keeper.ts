import { parseDuration } from '../../model/duration.js';
import type { RecordedEvent } from '../../model/events/event.js';
import type { DecidedBy, GateKind, GateQuestion, GateState, Shown } from '../../model/gates/gate.js';
import { gateMap, mostRounds } from '../../model/gates/gate-words.js';
import type { Json } from '../../model/json.js';
import type { Plan, Task } from '../../model/plan.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import type { AskDesk } from '../agents/ask-desk.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import type { DeciderInput } from '../freshness/decider.js';
import type { StopSwitch } from '../stop-switch.js';
import { askedIn } from './checklist.js';
import { byRunner, noReviseWords, spentWords, whoJudges } from './deciders.js';
import type { GateEnd, GatePorts, Judged } from './gate-ports.js';
import { gateTime } from './gate-time.js';
import { isAskedAbout, passedBefore } from './passed-before.js';
import { People } from './people.js';
import { revisionOf } from './send-back.js';
import { stampsShown } from './shown.js';
import { gateStanding } from './standing.js';
import { verdictFor } from './verdict.js';

export interface GateTools extends Pick<DeciderInput, 'selected' | 'past'> {
  readonly run: string;
  /** As it is now: task files may add to it. */
  plan(): Plan;
  readonly vars: { readonly [name: string]: Json };
  readonly ports: AttemptPorts;
  readonly gates: GatePorts;
  readonly desk: AskDesk;
  readonly stop: StopSwitch;
  state(): RunState;
  record(events: readonly RecordedEvent[]): void;
  /** Waits without keeping others from working. */
  rest<T>(wait: Promise<T>): Promise<T>;
  /** Something that was waited for is over. */
  onQuiet(): void;
}

/** Lets nothing on that has not been looked at: opens gates, has them decided, and sends work back. */
export class GateKeeper {
  readonly #tools: GateTools;
  readonly people: People;

  constructor(tools: GateTools) {
    this.#tools = tools;
    this.people = new People({ ...tools, clock: tools.ports.clock, now: () => gateTime(tools) });
  }

  /** The task has passed, now or before: whether anything may go on from it. */
  async pass(task: Task): Promise<GateEnd> {
    for (let looks = 0; ; looks += 1) {
      const standing = gateStanding(task, this.#stateOf(task), this.#shownTools);
      if (standing.kind === 'passed') return { how: 'passed', product: standing.handedOn };
      if (standing.kind === 'rejected') return { how: 'failed' };
      if (standing.kind === 'owed') return this.#sendBack(task);
      if (this.#passedBefore(task, standing.shown)) continue;
      const question = this.#question(task, standing.shown, standing.reason.detail);
      if (looks >= mostLooks) {
        this.#decide(question, byRunner, { verdict: 'reject', failed: true, reasons: [unsettled] });
        return { how: 'failed' };
      }
      const end = await this.#answered(task, question);
      if (end) return end;
    }
  }

  /** What has been asked in this run is answered in this run. */
  #passedBefore(task: Task, shown: Shown): boolean {
    const earlier = isAskedAbout(this.#gateOf(task), shown) ? undefined : passedBefore(task, shown, this.#tools.gates);
    if (!earlier) return false;
    const attempt = Math.max(1, this.#stateOf(task).attempts);
    this.#tools.record([{ type: 'gate-decided', ...earlier, attempt, planDigest: this.#tools.plan().digest }]);
    return true;
  }

  get #shownTools() {
    return { plan: this.#tools.plan(), files: this.#tools.ports.files };
  }

  #stateOf({ id }: Task): TaskState {
    return this.#tools.state().tasks.get(id)!;
  }

  #gateOf(task: Task): GateState {
    return this.#stateOf(task).gate ?? { rounds: 0 };
  }

  /** The question that was asked before, while it is about the same; else a new one. */
  #question(task: Task, shown: Shown, why: string): GateQuestion {
    const gate = this.#gateOf(task);
    const { opened } = gate;
    if (opened && isAskedAbout(gate, shown)) return opened;
    const isAgain = gate.decided?.verdict === 'revise' && gate.decided.question === opened?.question;
    const because = isAgain ? `done again after round ${gate.rounds}` : why;
    return this.#open(task, shown, {
      kind: gateMap(task.gate!).kind,
      ...(gate.decided || opened ? { because } : {}),
    });
  }

  #open(task: Task, shown: Shown, about: { readonly kind: GateKind; readonly because?: string }): GateQuestion {
    const { gates, record } = this.#tools;
    const gate = gateMap(task.gate!);
    const people = gate.kind === 'human' ? gate : undefined;
    const expiresMs = people?.expires === undefined ? undefined : parseDuration(people.expires)!;
    const noRevise = people ? noReviseWords(people, this.#gateOf(task).rounds) : undefined;
    const question: GateQuestion = {
      task: task.id,
      attempt: Math.max(1, this.#stateOf(task).attempts),
      ...about,
      question: gates.newQuestion(),
      ...shown,
      ...askedIn(task, this.#tools),
      ...(people?.approvers ? { approvers: people.approvers } : {}),
      ...(expiresMs === undefined ? {} : { expiresAt: gateTime(this.#tools) + expiresMs }),
      ...(noRevise === undefined ? {} : { noRevise }),
    };
    record([{ type: 'gate-opened', ...question }]);
    return question;
  }

  /** Undefined: something was decided, or what is asked about has changed; it is looked at again. */
  async #answered(task: Task, question: GateQuestion): Promise<GateEnd | undefined> {
    const missing = question.patterns.filter((pattern) => this.#tools.ports.files.expand([pattern]).length === 0);
    if (missing.length > 0) {
      const reasons = [`there is nothing to look at: no file matches ${missing.join(', ')}`];
      this.#decide(question, byRunner, { verdict: 'reject', failed: true, reasons });
      return { how: 'failed' };
    }
    if (question.kind === 'human') return this.#askPerson(task, question);
    const { files } = this.#tools.ports;
    const looked = stampsShown(question, files);
    const isOther = (): boolean => stampsShown(question, files) !== looked || !this.#isSame(task, question);
    if (isOther()) return undefined;
    const judged = await verdictFor(task, question, {
      ...this.#tools,
      plan: this.#tools.plan(),
      calibrations: this.#calibrations,
    });
    // A judge that changed what it judges is no reason to look again.
    return judged.kind !== 'ended' && isOther() ? undefined : this.#take(task, question, judged);
  }

  /** One judge is looked at once, also where several gates ask for it at the same time. */
  readonly #calibrations = { last: Promise.resolve() as Promise<unknown> };

  async #askPerson(task: Task, question: GateQuestion): Promise<GateEnd | undefined> {
    if (this.#tools.gates.autonomous) {
      const reasons = ['it asks a person, and in autonomous mode nobody is asked'];
      this.#decide(question, byRunner, { verdict: 'reject', failed: true, reasons });
      return { how: 'failed' };
    }
    const said = await this.#tools.rest(this.people.ask(question));
    if (said === 'cancelled' || said === 'withdrawn') return { how: said };
    if (said === 'later') return { how: 'waiting' };
    if (said === 'expired') {
      const gate = gateMap(task.gate!);
      const within = gate.kind === 'human' ? gate.expires : undefined;
      this.#decide(
        question,
        { kind: 'time', name: 'expires' },
        { verdict: 'reject', reasons: [`nobody answered within ${within}`] },
      );
      return { how: 'failed' };
    }
    // What was looked at may not be there any more: then the answer is about something else.
    const isSame = this.#isSame(task, question);
    const { verdict, by, text, left } = said;
    const answer = left === undefined ? {} : { answer: left };
    const reasons = text === undefined ? [] : [text];
    if (isSame) this.#decide(question, { kind: 'person', name: by }, { verdict, reasons, ...answer });
    // Only now: killed in between, the next one finds it again.
    if (left !== undefined) this.#tools.gates.dropAnswer(left);
    return isSame && verdict === 'reject' ? { how: 'failed' } : undefined;
  }

  #take(task: Task, question: GateQuestion, judged: Judged): GateEnd | undefined {
    const { record } = this.#tools;
    const by = whoJudges(task);
    if (judged.kind === 'ended') {
      if (judged.spent) record([{ type: 'budget-spent', task: task.id, ...judged.spent }]);
      const { why, uncalibrated } = judged;
      if (why !== undefined)
        this.#decide(question, by, {
          verdict: 'reject',
          failed: true,
          reasons: [why],
          ...(uncalibrated ? { uncalibrated } : {}),
        });
      return judged.end;
    }
    const { reasons, more = {} } = judged;
    if (judged.kind === 'failed') {
      this.#decide(question, by, { verdict: 'reject', failed: true, reasons, ...more });
      return { how: 'failed' };
    }
    const { rounds } = this.#gateOf(task);
    if (judged.verdict !== 'revise' || rounds < mostRounds(task.gate)) {
      this.#decide(question, by, { verdict: judged.verdict, reasons, ...more });
      return judged.verdict === 'reject' ? { how: 'failed' } : undefined;
    }
    const spent = spentWords(rounds);
    if (gateMap(task.gate!).exhausted === 'human') {
      const because = `${by.kind === 'agent' ? `judge ${by.name}` : 'a check'} wants it revised (${reasons.join('; ')}), and ${spent}`;
      return this.#askLast(task, question, because);
    }
    this.#decide(question, by, { verdict: 'reject', reasons: [...reasons, spent], ...more });
    return { how: 'failed' };
  }

  /** A person has the last word; the next look finds the question open. */
  #askLast(task: Task, { product, evidence, gate, covers, shown }: GateQuestion, because: string): undefined {
    this.#open(task, { product, evidence, gate, covers, shown }, { kind: 'human', because });
    return undefined;
  }

  #isSame(task: Task, question: GateQuestion): boolean {
    const standing = gateStanding(task, this.#stateOf(task), this.#shownTools);
    return standing.kind === 'open' && standing.shown.shown === question.shown;
  }

  #decide(question: GateQuestion, by: DecidedBy, how: Decision): void {
    const { task, attempt, question: name, shown, gate, covers } = question;
    const { digest: planDigest } = this.#tools.plan();
    this.#tools.record([
      { type: 'gate-decided', task, attempt, question: name, by, ...how, shown, gate, covers, planDigest },
    ]);
  }

  #sendBack(task: Task): GateEnd {
    const { rounds, decided, opened } = this.#gateOf(task);
    const gate = gateMap(task.gate!);
    if (gate.kind === 'human' && gate.revise && rounds >= gate.revise.max) {
      this.#decide(opened!, decided!.by, { verdict: 'reject', reasons: [...decided!.reasons, spentWords(rounds)] });
      return { how: 'failed' };
    }
    const revision = revisionOf(task, this.#gateOf(task), { ...this.#tools, plan: this.#tools.plan() });
    // Whoever named stages on the command line did not name the one that is to do it again: it stays owed.
    if (!revision) return { how: 'waiting' };
    this.#tools.record([revision]);
    const tasks = [...revision.to, ...revision.downstream];
    this.people.withdraw(tasks.filter((id) => id !== task.id));
    return { how: 'again', tasks };
  }
}

interface Decision
  extends Pick<
    Extract<RecordedEvent, { type: 'gate-decided' }>,
    'verdict' | 'reasons' | 'failed' | 'rubric' | 'votes' | 'uncalibrated' | 'answer'
  > {}

/** Evidence that changes while it is looked at is looked at again this often. */
const mostLooks = 4;
const unsettled = 'the evidence kept changing while it was looked at';
