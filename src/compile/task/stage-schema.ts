import type { Stage } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { hasTemplate } from '../../source/template/template-node.js';
import type { Problems } from '../problems.js';
import type { PathRules } from '../rules/path-rules.js';
import { sortedKeys } from './stage-options.js';
import type { TemplateFields } from './template-fields.js';

interface SchemaTools {
  readonly fields: TemplateFields;
  readonly paths: PathRules;
  readonly at: readonly string[];
  readonly outputs: readonly string[];
  readonly problems: Problems;
}

/** Which outputs of a stage have a schema, and where it is. */
export function schemaOf(stage: Stage, { fields, paths, at, outputs, problems }: SchemaTools): Record<string, string> {
  const schemas = new Map<string, string>();
  for (const [output, file] of Object.entries(stage.schema ?? {})) {
    const place = [...at, 'schema', output];
    const path = paths.inside(fields.text(output, place), place);
    const here = { kind: 'config', pointer: pointerOf(...place), key: true } as const;
    if (schemas.has(path))
      problems.add({ code: 'AR108', message: `${path} has two schemas`, at: here, hint: 'Keep one of the two' });
    schemas.set(path, paths.inside(fields.text(file, place), place));
    if (outputs.includes(path) || hasTemplate(path)) continue;
    problems.add({
      code: 'AR506',
      message: `${path} has a schema but is not an output of this stage`,
      at: here,
      hint: outputs.length > 0 ? `Its outputs are ${outputs.join(', ')}` : 'Add it to "outputs"',
    });
  }
  return sortedKeys(Object.fromEntries(schemas));
}
