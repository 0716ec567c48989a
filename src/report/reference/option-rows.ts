import type { JsonSchema } from '../../model/json-schema.js';

/** One option of a behaviour, as a reader wants to see it. */
export interface OptionRow {
  /** `checks[].name`: `[]` is each entry of a list, `*` each key of a map. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly about: string;
}

/** All options, those inside of others after them. */
export function optionRows(schema: JsonSchema, before = ''): readonly OptionRow[] {
  const required = new Set(schema.required as readonly string[] | undefined);
  return Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>).flatMap(([name, option]) => {
    const path = `${before}${name}`;
    const row = { path, type: typeText(option), isRequired: required.has(name), about: aboutOf(option) };
    return [row, ...insideOf(option, path)];
  });
}

const aboutOf = ({ description }: JsonSchema): string => (typeof description === 'string' ? description : '');

/** What has options of its own: a map with known keys, wherever it stands. */
function insideOf(option: JsonSchema, path: string): readonly OptionRow[] {
  const rows = [
    ...(option.properties ? optionRows(option, `${path}.`) : []),
    ...(isSchema(option.items) ? insideOf(option.items, `${path}[]`) : []),
    ...(isSchema(option.additionalProperties) ? insideOf(option.additionalProperties, `${path}.*`) : []),
    ...branchesOf(option).flatMap((branch) => insideOf(branch, path)),
  ];
  // Branches may share options.
  return rows.filter(({ path: one }, index) => rows.findIndex((other) => other.path === one) === index);
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const branchesOf = ({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] =>
  (anyOf ?? oneOf ?? []) as readonly JsonSchema[];

function typeText(option: JsonSchema): string {
  if ('const' in option) return `\`${option.const}\``;
  if (Array.isArray(option.enum)) return option.enum.map((value) => `\`${value}\``).join(', ');
  const branches = branchesOf(option);
  if (branches.length > 0) return [...new Set(branches.map(typeText))].join(' or ');
  switch (option.type) {
    case 'array':
      return isSchema(option.items) ? `list of ${typeText(option.items)}` : 'list';
    case 'object':
      return isSchema(option.additionalProperties) ? `map of ${typeText(option.additionalProperties)}` : 'map';
    case 'string':
      return option.format === 'shell' ? 'command' : 'text';
    case 'integer':
      return 'whole number';
    case 'boolean':
      return '`true` or `false`';
    default:
      return typeof option.type === 'string' ? option.type : 'anything';
  }
}
