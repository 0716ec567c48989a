import type { GateDecision, GateQuestion } from '../gates/gate.js';
import type { TaskId } from '../plan.js';

/** What a task made is to be looked at before anything goes on from it. */
export interface GateOpened extends GateQuestion {
  readonly type: 'gate-opened';
}

export interface GateDecided extends GateDecision {
  readonly type: 'gate-decided';
}

/** Work is sent back: these tasks have to run again, whatever else holds. */
export interface RevisionRequested {
  readonly type: 'revision-requested';
  /** The task whose gate asks for it. */
  readonly task: TaskId;
  /** The stage that gets the feedback. */
  readonly stage: string;
  /** Its tasks. */
  readonly to: readonly TaskId[];
  /** All that depends on them. */
  readonly downstream: readonly TaskId[];
  readonly feedback: string;
  /** Counted over the whole run. */
  readonly round: number;
}

/** A judge was shown samples of which it is known whether they are good. */
export interface JudgeCalibrated {
  readonly type: 'judge-calibrated';
  readonly task: TaskId;
  readonly agent: string;
  /** Of the judge, what it goes by, and the samples: whoever judges otherwise is looked at anew. */
  readonly key: string;
  readonly samples: number;
  /** What it got wrong; empty: it may judge. */
  readonly wrong: readonly string[];
}
