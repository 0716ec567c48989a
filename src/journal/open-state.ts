import type { AgentSession } from '../model/agents/agent.js';
import type { SentBack } from '../model/gates/gate.js';
import type { ParameterSet } from '../model/parameters.js';
import type { JobState } from '../model/state/job-state.js';
import type { RunState, SpentOn, TaskState } from '../model/state/run-state.js';

/** The state as whoever applies events may change it. */
export type OpenState = Mutable<
  Omit<RunState, 'tasks' | 'forced' | 'spentOn' | 'sessions' | 'sentBack' | 'calibrated' | 'jobs' | 'parameters'>
> & {
  sentBack: Map<string, SentBack>;
  calibrated: Map<string, readonly string[]>;
  sessions: Map<string, AgentSession>;
  spentOn: Map<string, SpentOn>;
  tasks: Map<string, TaskState>;
  forced: Set<string>;
  jobs: Map<string, JobState>;
  parameters: Map<string, ParameterSet>;
  /** When the last event was written. */
  lastMs: number;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
