import { type OptionsOf, valueSourceSchema } from 'autoresearch';

const text = { type: 'string', minLength: 1 } as const;
/** Expressions and dotted paths: variables that they name are used. */
const expression = { ...text, format: 'expression' } as const;
const name = { ...text, description: 'What the check is called; what it checks unless stated.' } as const;
const expected = {
  anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
} as const;

const check = {
  type: 'object',
  additionalProperties: false,
  description: 'One check: exactly one of expression, command, file, missing, mapping, absent, sameKeys and tests.',
  properties: {
    name,
    expression: {
      ...expression,
      description: 'A CEL expression over `let`, `from`, `vars` and `matrix` that must be true.',
    },
    command: {
      description: 'A command: text for the shell, or a list of words.',
      anyOf: [
        { type: 'string', format: 'shell', pattern: '\\S' },
        { type: 'array', minItems: 1, items: { type: 'string' } },
      ],
    },
    exit: {
      type: 'integer',
      minimum: 0,
      maximum: 255,
      description: '`command`: the exit code it must have; 0 unless stated.',
    },
    file: { ...text, description: 'A file that must be there and not be empty.' },
    contains: { ...text, description: '`command`, `file`: a text that must be in what is printed, or in the file.' },
    matches: { ...text, description: '`command`, `file`: a regular expression that must fit it.' },
    lacks: {
      ...text,
      description: '`command`, `file`: a text that must not be in it. `mapping`: a key that it must not have.',
    },
    equals: {
      ...expected,
      description: '`file`: another file with the same content. `mapping`: the value that the key must have.',
    },
    differs: { ...text, description: '`file`: another file that must have another content.' },
    schema: { ...text, description: '`file`: the JSON Schema that it must satisfy.' },
    missing: { ...text, description: 'A file that must not be there.' },
    mapping: { ...expression, description: 'The dotted path of a map among the values of `from`.' },
    has: { ...text, description: '`mapping`: a key that it must have.' },
    absent: {
      ...expression,
      description: 'The dotted path of what must not be among the values of `from`; an empty map is as good.',
    },
    sameKeys: {
      type: 'array',
      minItems: 2,
      items: expression,
      description: 'Dotted paths of maps among the values of `from` that must have the same keys.',
    },
    tests: {
      ...text,
      description: 'A JSON or YAML file with `tests: [{name, status, detail}]`, each of which must have passed.',
    },
  },
} as const;

export const options = {
  type: 'object',
  additionalProperties: false,
  required: ['checks'],
  properties: {
    checks: {
      type: 'array',
      minItems: 1,
      items: check,
      description: 'What must hold. All of it is looked at, and all failures are told.',
    },
    from: {
      type: 'object',
      additionalProperties: valueSourceSchema,
      description: 'Name → a config file, or a command that prints JSON, whose values checks may use.',
    },
    let: {
      type: 'object',
      additionalProperties: expression,
      description: 'Short name for expressions → dotted path among the values of `from`.',
    },
    python: { ...text, description: 'The interpreter for Python and TOML files; `python3` unless stated.' },
    to: { ...text, description: 'A file for the checklist, as JSON.' },
  },
} as const;

export type AssertOptions = OptionsOf<typeof options>;
export type Check = AssertOptions['checks'][number];
