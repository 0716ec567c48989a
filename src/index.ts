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

export type { Failure } from './model/failure.js';
export type { Agent, Config, Gate, Retry, Stage } from './model/generated/config.js';
export type { Json, JsonObject } from './model/json.js';
export type { JsonSchema, OptionsOf } from './model/json-schema.js';
export type { Description } from './model/plan.js';
export type {
  CommandEnd,
  CommandOptions,
  StageContext,
  StageDefinition,
  StageFacts,
  StageResult,
} from './model/stage.js';
export type { WrittenConfig } from './model/written-config.js';
