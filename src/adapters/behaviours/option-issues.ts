import type { JsonSchema } from '../../model/json-schema.js';
import type { OptionIssue } from '../../model/loaded-behaviour.js';
import { err, ok, type Result } from '../../model/result.js';
import { compileSchema } from '../../source/schema/schema.js';
import { issueCode } from '../../source/schema/schema-issue.js';

/** A check of options by their schema, answering in the form that the compiler puts into diagnostics. */
export async function optionCheck(
  schema: JsonSchema,
): Promise<Result<(options: unknown) => readonly OptionIssue[], string>> {
  const check = await compileSchema(schema, { whole: 'with' });
  if (!check.ok) return err(check.error);
  return ok((options) =>
    check.value(options).map(({ kind, pointer, key, message, hint }) => ({
      code: issueCode[kind],
      pointer,
      ...(key === undefined || kind === 'missing-key' ? {} : { key: true }),
      message,
      ...(hint === undefined ? {} : { hint }),
    })),
  );
}
