import type { ErrorObject } from 'ajv';
import type { JsonSchema } from '../../model/json-schema.js';
import { err, ok, type Result } from '../../model/result.js';
import type { SchemaIssue } from './schema-issue.js';
import { schemaIssues } from './schema-issues.js';

export type SchemaCheck = (value: unknown) => SchemaIssue[];

export interface CompileSchemaOptions {
  /** What messages call the whole value, such as `the config`. */
  readonly whole?: string;
  /** Somebody else wrote it: what JSON Schema allows is allowed, but no word that it does not know. */
  readonly isForeign?: boolean;
}

/** Habits of ours, which keep mistakes out of the schemas that we publish. */
const habits = { strictTypes: true, strictTuples: true, strictRequired: true };
const noHabits = { strictTypes: false, strictTuples: false, strictRequired: false };

/**
 * Compiles a JSON Schema in strict mode; the answer to a schema that is itself wrong is its fault in words. The only
 * door to ajv at run time: a valid config never needs it, because its own validator is compiled ahead.
 */
export async function compileSchema(
  schema: JsonSchema,
  { whole = 'the value', isForeign = false }: CompileSchemaOptions = {},
): Promise<Result<SchemaCheck, string>> {
  const { Ajv } = await import('ajv');
  const compile = (part: JsonSchema): Check => {
    const strictness = { strict: true, ...(isForeign ? noHabits : habits) };
    const ajv = new Ajv({ allErrors: true, verbose: true, ...strictness, allowUnionTypes: true, logger: false });
    ajv.addFormat('shell', true);
    ajv.addFormat('expression', true);
    const validate = ajv.compile(part);
    return (value) => (validate(value) ? [] : (validate.errors ?? []));
  };
  // An alternative is compiled when a value fails it for the first time, and kept: ten thousand values may follow.
  const branches = new Map<JsonSchema, Check>();
  const { $defs, definitions } = schema;
  const checkBranch = (branch: JsonSchema, value: unknown): ErrorObject[] => {
    const check =
      branches.get(branch) ??
      compile({ ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}), ...branch });
    branches.set(branch, check);
    return check(value);
  };
  try {
    const check = compile(schema);
    return ok((value) => schemaIssues(check(value), { root: schema, whole, checkBranch }));
  } catch (error) {
    return err((error as Error).message);
  }
}

type Check = (value: unknown) => ErrorObject[];
