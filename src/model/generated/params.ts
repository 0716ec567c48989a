// Made from schemas/config.schema.json by `npm run generate`. Do not edit.

export type Scalar = string | number | boolean;

/**
 * The parameters of the preset: what a study may or must say under `vars`. Stages and settings use them as `{{vars.NAME}}`. One without a default has to be set.
 */
export interface Params {
  [k: string]: Param;
}
/**
 * A parameter of a preset, in words of JSON Schema.
 */
export interface Param {
  /**
   * What its value is.
   */
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array';
  /**
   * What it is for: a sentence for somebody who has to choose.
   */
  description: string;
  /**
   * Its value where the study says nothing. Without one the study has to set it.
   */
  default?: Scalar | Scalar[];
  /**
   * A value to learn from; `presets check` fills it in where there is no default.
   */
  example?: Scalar | Scalar[];
  /**
   * The values that are allowed.
   *
   * @minItems 1
   */
  enum?: Scalar[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  /**
   * A regular expression that text has to match.
   */
  pattern?: string;
  /**
   * `duration`: a whole number and a unit, such as `5m`. `shell`: a command, which goes to the shell as it is written.
   */
  format?: 'duration' | 'shell';
  items?: ParamItem;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
}
/**
 * What each entry of a list is.
 */
export interface ParamItem {
  type: 'string' | 'integer' | 'number' | 'boolean';
  /**
   * The values that are allowed.
   *
   * @minItems 1
   */
  enum?: Scalar[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  /**
   * A regular expression that text has to match.
   */
  pattern?: string;
  /**
   * `duration`: a whole number and a unit, such as `5m`. `shell`: a command, which goes to the shell as it is written.
   */
  format?: 'duration' | 'shell';
}
