/** How the config is written. */
export interface ConfigForm {
  readonly form: 'ts' | 'yaml';
  /** Where an editor finds the schema, as seen from the config. */
  readonly schema: string;
}
