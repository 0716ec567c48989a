import schema from '../../schemas/config.schema.json' with { type: 'json' };
import type { Diagnostic } from '../model/diagnostic.js';
import { type Pointer, pointerOf } from '../model/pointer.js';
import { compileSchema } from '../source/schema/schema.js';
import { issueCode, type SchemaIssue } from '../source/schema/schema-issue.js';
import { misplacedHint } from './misplaced.js';

/** Says what is wrong with a config that the validator refused. */
export async function explainInvalid(value: unknown, faulty: ReadonlySet<Pointer>): Promise<Diagnostic[]> {
  const check = await compileSchema(schema, { whole: 'the config' });
  if (!check.ok) throw new Error(`schemas/config.schema.json: ${check.error}`);
  const issues = check.value(value);
  if (issues.length === 0) throw new Error('the generated validator does not match schemas/config.schema.json');
  return issues.filter((issue) => !faulty.has(subjectOf(issue))).map((issue) => diagnosticOf(issue));
}

/** The place that an issue is about, even if nothing stands there. */
const subjectOf = ({ kind, pointer, key }: SchemaIssue): Pointer =>
  kind === 'missing-key' && key !== undefined ? pointer + pointerOf(key) : pointer;

function diagnosticOf(issue: SchemaIssue): Diagnostic {
  const { kind, pointer, key, message, hint } = issue;
  const at = { kind: 'config', pointer, ...(key === undefined ? {} : { key: true }) } as const;
  if (kind === 'unknown-key' && /^\/(params|variants|summary)$/.test(pointer)) {
    const where = 'belongs into a preset, which a study extends; a study sets the values themselves under vars';
    return { code: 'AR202', message: `misplaced key "${key}"`, hint: `"${key}" ${where}`, at };
  }
  if (kind === 'unknown-key' && key !== undefined && !hint?.startsWith('Did you mean')) {
    if (isOfStage.test(pointer) && optionsMostly.has(key)) {
      const where = `"${key}" belongs under stages.<name>.with, like all options of what a stage uses`;
      return { code: 'AR202', message: `misplaced key "${key}"`, hint: where, at };
    }
    const misplaced = misplacedHint(schema, pointer, key);
    if (misplaced !== undefined) return { code: 'AR202', message: `misplaced key "${key}"`, hint: misplaced, at };
  }
  const help =
    hint ??
    (kind === 'unknown-key' && isOfStage.test(pointer)
      ? 'Options of what a stage uses belong under its with'
      : undefined);
  return { code: issueCode[kind], message, ...(help === undefined ? {} : { hint: help }), at };
}

const isOfStage = /^\/stages\/[^/]+\/[^/]+$/;

/** Keys that the config knows elsewhere too, but that whoever writes them in a stage means as an option of its behaviour. */
const optionsMostly: ReadonlySet<string> = new Set(['run', 'prompt', 'metrics']);
