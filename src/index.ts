/** The public door. Everything a config or a behaviour of another lab needs, and nothing else. */
import type { JsonSchema } from './model/json-schema.js';
import type { StageDefinition } from './model/stage.js';
import type { WrittenConfig } from './model/written-config.js';

/** Gives a config its types. The result is the same plain data. */
export const defineConfig = (config: WrittenConfig): WrittenConfig => config;

/** Gives a behaviour its types: those of `options` follow from the schema. */
export const defineStage = <const Schema extends JsonSchema>(
  definition: StageDefinition<Schema>,
): StageDefinition<Schema> => definition;

export {
  type Artifact,
  type ArtifactWish,
  artifactWish,
  type KeyLink,
  type MustHaves,
} from './model/agents/must-haves.js';
export type { Published, TestResult } from './model/agents/published.js';
export type { ChecklistReply, HealthReply, ReplyForm, ReviewReply, WorkReply } from './model/agents/reply.js';
export type { TaskItem, TaskPart } from './model/agents/task-item.js';
export type { Failure } from './model/failure.js';
export type { Agent, Config, Gate, Retry, Stage } from './model/generated/config.js';
export type { Json, JsonObject } from './model/json.js';
export type { JsonSchema, OptionsOf } from './model/json-schema.js';
export { type ParameterSet, parameterWords, sameParameters } from './model/parameters.js';
export type { AskDescription, Description } from './model/plan.js';
export type {
  AgentEnd,
  AgentWish,
  CommandEnd,
  CommandOptions,
  Drawing,
  FigureWish,
  FileFacts,
  MendWish,
  MustHavesReading,
  PastTrouble,
  Printed,
  PrintedEnd,
  Reading,
  StageContext,
  StageDefinition,
  StageFacts,
  StageResult,
  TaskSource,
  ValuesEnd,
  ValuesWish,
} from './model/stage.js';
export type { JobEnd, JobFacts, JobNews, JobReason, JobWish, StageParameters } from './model/stage-job.js';
export type { TextMatch } from './model/text-match.js';
export type { Value, Values } from './model/value.js';
export type { ValueSource } from './model/value-source.js';
export { knownSource, sourceNeeds, valueSourceSchema } from './model/value-source.js';
export type { WrittenConfig } from './model/written-config.js';
export { type Finding, gap, holds } from './stage/finding.js';
export { checkArtifact, checkLink, filesOf } from './stage/must-have-files.js';
export { promptEnd, promptEndFacts } from './stage/prompt-end.js';
export { promptFiles, promptFilesFacts } from './stage/prompt-files.js';
