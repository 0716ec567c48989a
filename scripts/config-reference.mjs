// docs/config.md: every key of a config, from the descriptions in the schema.
export function configReference(schema) {
  const sections = Object.entries(schema.$defs).filter(([, definition]) => definition.type === 'object' && definition.properties);
  return [
    '# Config reference',
    '',
    '<!-- Made from schemas/config.schema.json by `npm run generate`. Do not edit. -->',
    '',
    'A config is data: `autoresearch.config.ts` (also `.mts .js .mjs .json .yaml .yml`), `.autoresearchrc` (`.yaml`, `.json`), or the key',
    '`autoresearch` in package.json. Unknown keys are errors. Durations are `500ms`, `30s`, `5m`, `2h`, `1d`. Paths are relative to the config.',
    '',
    ...section('Config', schema),
    ...sections.flatMap(([name, definition]) => section(name, definition)),
  ].join('\n');

  function section(name, definition) {
    const required = new Set(definition.required ?? []);
    const rows = Object.entries(definition.properties).map(([key, property]) => {
      const target = property.$ref ? schema.$defs[property.$ref.split('/').pop()] : property;
      const text = property.description ?? target.description ?? '';
      return `| \`${key}\`${required.has(key) ? ' *' : ''} | ${typeOf(property)} | ${text.replaceAll('|', '\\|')} |`;
    });
    return [`## ${name}`, '', ...(definition.description ? [definition.description, ''] : []), '| key | value | meaning |', '|---|---|---|', ...rows, '', ...(required.size > 0 ? ['\\* required', ''] : [])];
  }

  function typeOf(property) {
    if (property.$ref) {
      const name = property.$ref.split('/').pop();
      const target = schema.$defs[name];
      return target.properties || target.anyOf?.some((branch) => branch.$ref?.endsWith('Gate')) ? `[${name}](#${name.toLowerCase()})` : name === 'globs' ? 'list of paths and globs' : name;
    }
    if (property.const !== undefined) return `\`${property.const}\``;
    if (property.enum) return property.enum.map((value) => `\`${value}\``).join(', ');
    if (property.anyOf) return property.anyOf.map(typeOf).join(' or ');
    if (property.type === 'array') return `list of ${typeOf(property.items)}`;
    if (property.type === 'object') return typeof property.additionalProperties === 'object' ? `map of ${typeOf(property.additionalProperties)}` : 'map';
    if (Array.isArray(property.type)) return property.type.join(', ');
    return property.type === 'integer' ? 'whole number' : property.type;
  }
}
