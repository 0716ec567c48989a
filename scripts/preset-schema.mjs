// A layer as it is written: nothing is required, `null` removes, `{ $append: […] }` appends to a list.
const removable = (schema) => ({ anyOf: [schema, { type: 'null' }] });
const appendable = (schema) => ({
  anyOf: [
    schema,
    { type: 'object', required: ['$append'], additionalProperties: false, properties: { $append: schema } },
    { type: 'null' },
  ],
});

export function presetSchema(config) {
  const lists = new Set(
    Object.entries(config.$defs)
      .filter(([, schema]) => schema.type === 'array')
      .map(([name]) => `#/$defs/${name}`),
  );
  const isList = (schema) => schema.type === 'array' || lists.has(schema.$ref);
  const wrap = (schema) => {
    const { description, ...rest } = relax(schema);
    return { ...(description ? { description } : {}), ...(isList(schema) ? appendable(rest) : removable(rest)) };
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

  const { $id, title, description, $defs, ...root } = config;
  return {
    $schema: root.$schema,
    $id: $id.replace('config', 'preset'),
    title: 'Preset',
    description:
      'A preset, or a config that extends one: any part of a config. Made from config.schema.json by `npm run generate`.',
    ...Object.fromEntries(Object.entries(relax(root)).filter(([key]) => key !== '$schema')),
    // Variants of a gate are told apart by `kind`, so inside them nothing may go missing.
    $defs: Object.fromEntries(
      Object.entries($defs).map(([name, schema]) => [name, schema.properties?.kind ? schema : relax(schema)]),
    ),
  };
}
