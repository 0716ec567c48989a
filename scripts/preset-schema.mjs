// A layer as it is written: nothing is required, `null` removes, `{ $append: […] }` appends to a list.
const removable = (schema) => ({ anyOf: [schema, { type: 'null' }] });
const appendable = (schema) => ({
  anyOf: [
    schema,
    { type: 'object', required: ['$append'], additionalProperties: false, properties: { $append: schema } },
    { type: 'null' },
  ],
});

/** What is no text can be a variable as a whole. */
const orVariable = ({ anyOf }) => ({ anyOf: [...anyOf, { $ref: '#/$defs/variable' }] });
const isSetting = (schema, { $defs }) => {
  const { type, enum: allowed, pattern, $ref } = schema;
  if ($ref) return isSetting($defs[$ref.split('/').pop()], { $defs });
  const isName = pattern !== undefined && !pattern.includes('\\{\\{');
  return ['integer', 'number', 'boolean', 'array'].includes(type) || allowed !== undefined || isName;
};

export function presetSchema(config) {
  const lists = new Set(
    Object.entries(config.$defs)
      .filter(([, schema]) => schema.type === 'array')
      .map(([name]) => `#/$defs/${name}`),
  );
  const isList = (schema) => schema.type === 'array' || lists.has(schema.$ref);
  const wrap = (schema) => {
    const { description, ...rest } = relax(schema);
    const form = isList(schema) ? appendable(rest) : removable(rest);
    return { ...(description ? { description } : {}), ...(isSetting(schema, config) ? orVariable(form) : form) };
  };
  const mapValues = (object, change) =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

  function relax(schema) {
    if (schema.type !== 'object') return schema;
    const { required, minProperties, ...rest } = schema;
    return {
      ...rest,
      ...(schema.properties ? { properties: mapValues(schema.properties, wrap) } : {}),
      ...(typeof schema.additionalProperties === 'object'
        ? { additionalProperties: wrap(schema.additionalProperties) }
        : {}),
    };
  }

  const filled = (schema) => ({
    ...schema,
    properties: mapValues(schema.properties, (property) => {
      const { description, ...rest } = property;
      if (!isSetting(property, config)) return property;
      return { ...(description ? { description } : {}), ...orVariable({ anyOf: [rest] }) };
    }),
  });

  const { $id, title, description, $defs, ...root } = config;
  const { properties, ...frame } = relax(root);
  const { $schema, extends: bases, ...parts } = properties;
  const { vars, ...settings } = parts;
  return {
    $schema: root.$schema,
    $id: $id.replace('config', 'preset'),
    title: 'Preset',
    description:
      'A preset, or a config that extends one: any part of a config. Made from config.schema.json by `npm run generate`.',
    ...Object.fromEntries(Object.entries(frame).filter(([key]) => key !== '$schema')),
    properties: { $schema, summary, extends: bases, params, variants, ...parts },
    $defs: {
      // Variants of a gate are told apart by `kind`, so inside them nothing may go missing.
      ...Object.fromEntries(
        Object.entries($defs).map(([name, schema]) => [name, schema.properties?.kind ? filled(schema) : relax(schema)]),
      ),
      variable: {
        type: 'string',
        pattern: '^\\{\\{\\s*vars\\.[A-Za-z_][A-Za-z0-9_]*\\s*\\}\\}$',
        description: 'A variable, of the type that is due here.',
      },
      ...paramDefs,
      Variant: {
        title: 'Variant',
        description: 'Any part of a config but its variables.',
        type: 'object',
        additionalProperties: false,
        properties: settings,
      },
    },
  };
}

const summary = {
  type: 'string',
  minLength: 1,
  description: 'What the preset does, in a line; its first comment unless stated.',
};

const params = {
  type: 'object',
  propertyNames: { $ref: '#/$defs/variableName' },
  additionalProperties: { $ref: '#/$defs/Param' },
  description:
    'The parameters of the preset: what a study may or must say under `vars`. Stages and settings use them as `{{vars.NAME}}`. One without a default has to be set.',
};

const variants = {
  type: 'object',
  propertyNames: { $ref: '#/$defs/variableName' },
  additionalProperties: {
    type: 'object',
    minProperties: 1,
    additionalProperties: { $ref: '#/$defs/Variant' },
  },
  description:
    'Parameter → its value → the part of the config that this value adds. It counts as part of the preset: the study wins over it.',
};

const bounds = {
  enum: {
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: { $ref: '#/$defs/scalar' },
    description: 'The values that are allowed.',
  },
  minimum: { type: 'number' },
  maximum: { type: 'number' },
  exclusiveMinimum: { type: 'number' },
  exclusiveMaximum: { type: 'number' },
  minLength: { type: 'integer', minimum: 0 },
  maxLength: { type: 'integer', minimum: 0 },
  pattern: { type: 'string', minLength: 1, description: 'A regular expression that text has to match.' },
  format: {
    type: 'string',
    enum: ['duration', 'shell'],
    description:
      '`duration`: a whole number and a unit, such as `5m`. `shell`: a command, which goes to the shell as it is written.',
  },
};

const paramDefs = {
  Param: {
    title: 'Param',
    description: 'A parameter of a preset, in words of JSON Schema.',
    type: 'object',
    additionalProperties: false,
    required: ['type', 'description'],
    properties: {
      type: {
        type: 'string',
        enum: ['string', 'integer', 'number', 'boolean', 'array'],
        description: 'What its value is.',
      },
      description: {
        type: 'string',
        minLength: 1,
        description: 'What it is for: a sentence for somebody who has to choose.',
      },
      default: {
        $ref: '#/$defs/variableValue',
        description: 'Its value where the study says nothing. Without one the study has to set it.',
      },
      example: {
        $ref: '#/$defs/variableValue',
        description: 'A value to learn from; `presets check` fills it in where there is no default.',
      },
      ...bounds,
      items: { $ref: '#/$defs/ParamItem' },
      minItems: { type: 'integer', minimum: 0 },
      maxItems: { type: 'integer', minimum: 0 },
      uniqueItems: { type: 'boolean' },
    },
  },
  ParamItem: {
    title: 'ParamItem',
    description: 'What each entry of a list is.',
    type: 'object',
    additionalProperties: false,
    required: ['type'],
    properties: { type: { type: 'string', enum: ['string', 'integer', 'number', 'boolean'] }, ...bounds },
  },
};

/** What a preset may say about its parameters; the types and the validator of the program are made from it. */
export const paramsSchema = ({ $schema, $id, $defs: { variableName, scalar, variableValue } }) => ({
  $schema,
  $id: $id.replace('config', 'params'),
  title: 'Params',
  ...params,
  $defs: { variableName, scalar, variableValue, ...paramDefs },
});
