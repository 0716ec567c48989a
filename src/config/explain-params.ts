import schema from '../../schemas/preset.schema.json' with { type: 'json' };
import type { Diagnostic } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import type { JsonSchema } from '../model/json-schema.js';
import { compileSchema } from '../source/schema/schema.js';
import { issueCode } from '../source/schema/schema-issue.js';
import { addressIn } from './layer.js';

/** Says what is wrong with the parameters of a preset that the validator refused. */
export async function explainParams(document: Document, params: unknown): Promise<Diagnostic[]> {
  const { $schema, $defs, properties } = schema;
  const { Param, ParamItem, variableName, scalar, variableValue } = $defs;
  const whole = {
    $schema,
    type: 'object',
    properties: { params: properties.params },
    $defs: { Param, ParamItem, variableName, scalar, variableValue },
  };
  const check = await compileSchema(whole as unknown as JsonSchema);
  if (!check.ok) throw new Error(`schemas/preset.schema.json: ${check.error}`);
  const issues = check.value({ params });
  if (issues.length === 0) throw new Error('the generated validator does not match schemas/preset.schema.json');
  return issues.map(({ kind, pointer, key, message, hint }) => ({
    code: issueCode[kind],
    message,
    ...(hint === undefined ? {} : { hint }),
    at: addressIn(document, pointer, key === undefined ? 'value' : 'key'),
  }));
}
