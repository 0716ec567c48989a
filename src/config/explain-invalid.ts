import schema from '../../schemas/config.schema.json' with { type: 'json' };
import type { Diagnostic } from '../model/diagnostic.js';
import { type Pointer, pointerOf } from '../model/pointer.js';
import { compileSchema } from '../source/schema.js';
import { issueCode, type SchemaIssue } from '../source/schema-issue.js';
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
  if (kind === 'unknown-key' && key !== undefined && !hint?.startsWith('Did you mean')) {
    const misplaced = misplacedHint(schema, pointer, key);
    if (misplaced !== undefined) return { code: 'AR202', message: `misplaced key "${key}"`, hint: misplaced, at };
  }
  return { code: issueCode[kind], message, ...(hint === undefined ? {} : { hint }), at };
}
