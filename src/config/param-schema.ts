import type { Diagnostic } from '../model/diagnostic.js';
import type { Param } from '../model/generated/params.js';
import { pointerOf } from '../model/pointer.js';
import { compileSchema } from '../source/schema/schema.js';
import { showValue } from '../source/schema/schema-words.js';
import { addressIn, type Layer } from './layer.js';
import { fitsParam, notASchema, schemaOf } from './param-values.js';

/** Whether the parameters of a preset make sense: words that go together, and examples that fit them. */
export async function paramSchemaProblems(layer: Layer): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const [name, param] of Object.entries(layer.params ?? {})) {
    const check = await compileSchema(schemaOf(param));
    if (!check.ok) found.push(notASchema(name, layer, check.error));
    else if (isMisplaced(param)) found.push(notASchema(name, layer, `a format is for text, and "items" for lists`));
    else found.push(...valueProblems(name, param, layer));
  }
  return found;
}

const isMisplaced = ({ type, format, items }: Param): boolean =>
  (format !== undefined && type !== 'string') || (items !== undefined && type !== 'array');

function valueProblems(name: string, param: Param, layer: Layer): Diagnostic[] {
  if (param.default === undefined && param.example === undefined)
    return [
      {
        code: 'AR116',
        message: `the parameter "${name}" has neither a default nor an example`,
        hint: 'Give it an example: a study has to set it, and should see how',
        at: addressIn(layer.document, pointerOf('params', name), 'key'),
      },
    ];
  return (['default', 'example'] as const).flatMap((key) => {
    const value = param[key];
    if (value === undefined || fitsParam(param, value)) return [];
    const message = `the ${key} of "${name}" does not fit it: ${showValue(value)}`;
    return [{ code: 'AR112', message, at: addressIn(layer.document, pointerOf('params', name, key)) } as const];
  });
}
