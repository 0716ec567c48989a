import { applyIteration } from '../../../src/journal/apply-iteration.js';
import type { IterationEntry, IterationEvent } from '../../../src/model/events/iteration-event.js';
import type { SeriesState } from '../../../src/model/state/iteration-state.js';
import { judgeIteration } from '../../../src/run/iterate/judge-iteration.js';
import { type NextStep, nextStep, type Until } from '../../../src/run/iterate/next-step.js';
import { type IterateRules, rulesOf } from '../../../src/run/iterate/rules.js';

export const metric = { stage: 'measure', name: 'loss', better: 'lower' } as const;
export const rules = (more: object = {}): IterateRules => rulesOf({ max: 5, metric, ...more });

export type Result = number | 'fails';

/** A loop whose iterations come to what is given, by the same steps that the program takes. */
export class LoopStudy {
  readonly events: IterationEntry[] = [];
  state: SeriesState | undefined;
  readonly #results: Result[];

  constructor(
    readonly rules: IterateRules,
    results: readonly Result[],
    readonly until?: Until,
  ) {
    this.#results = [...results];
  }

  next(): NextStep {
    return nextStep(this.state, 'study', { rules: this.rules, ...(this.until ? { until: this.until } : {}) });
  }

  /** Up to its end, or until `most` records are written. */
  run(most = 1000): Extract<NextStep, { do: 'stop' }> | undefined {
    while (this.events.length < most) {
      const step = this.next();
      if (step.do === 'stop') return step;
      this.step(step);
    }
    return undefined;
  }

  step(step: Exclude<NextStep, { do: 'stop' }>): void {
    const open = this.state?.open;
    switch (step.do) {
      case 'begin-series':
        this.add({ type: 'series-started', record: 1, series: step.series, name: 'study', tool: '1' });
        break;
      case 'start':
        this.add({ type: 'iteration-started', number: step.number, repeat: step.repeat });
        break;
      case 'run':
        this.#measure(open!.number, open!.repeat);
        break;
      case 'decide': {
        const judged = judgeIteration(this.state!, open!.measured!, { rules: this.rules });
        this.add({ type: 'iteration-decided', number: open!.number, ...judged });
        break;
      }
      case 'close':
        this.add({ type: 'iteration-closed', number: open!.number });
        break;
    }
  }

  add(event: IterationEvent): void {
    const entry = { ...event, seq: this.events.length, at: '', prev: '', hash: '' } as IterationEntry;
    this.events.push(entry);
    this.state = applyIteration(this.state, entry);
  }

  #measure(number: number, repeat: number): void {
    const result = this.#results.shift();
    if (result === undefined) throw new Error('more iterations than results');
    const spent = { usd: 1, unpricedCalls: 0, workedMs: 1000 };
    const how = result === 'fails' ? { failure: 'train failed' } : { value: result };
    this.add({ type: 'iteration-measured', number, repeat, run: `${this.events.length}-run`, ...how, ...spent });
  }

  verdicts(): string[] {
    return this.state!.rows.map(({ number, verdict, why }) => `${number} ${verdict}: ${why}`);
  }
}
