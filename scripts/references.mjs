// The reference pages in docs/, each made from what the program itself uses.

/** Every key of a config, from the descriptions in the schema. */
export function configReference(schema) {
  const sections = Object.entries(schema.$defs).filter(
    ([, definition]) => definition.type === 'object' && definition.properties,
  );
  return [
    '# Config reference',
    '',
    '<!-- Made from schemas/config.schema.json by `npm run generate`. Do not edit. -->',
    '',
    'A config is data: `autoresearch.config.ts` (also `.mts .js .mjs .json .yaml .yml`), `.autoresearchrc` (`.yaml`, `.json`), or the key',
    '`autoresearch` in package.json. Unknown keys are errors. Durations are `500ms`, `30s`, `5m`, `2h`, `1d`. Paths are relative to the config.',
    '',
    '## Templates and expressions',
    '',
    'Strings in `with`, `inputs`, `outputs`, `schema`, `env`, `cwd`, `matrix`, `timeout`, `idle` and `retry.backoff` are Handlebars templates. They know',
    '`vars.NAME`, `matrix.NAME`, `task.id`, `stage.name`, `name` (of the study) and `agentId`; anything else is AR402. A string that is nothing but one',
    'name keeps its type: `"{{vars.seeds}}"` is a list. In shell text, such as `run` of `command`, values are quoted for the place where they stand;',
    '`{{{NAME}}}` puts one in raw. What a second shell would read again (`sh -c "…{{vars.x}}…"`, `ssh`, `python -c`) cannot be quoted for it: pass',
    'such values through `env`. `when` is a CEL expression over `vars`, `matrix` and `name`.',
    '',
    'Any other setting (a limit, a number of tries, the name of an agent, a list …) can be a variable as a whole: `turns: "{{vars.turns}}"`. In a list, a variable',
    'that is a list takes the place of its entry. A key of `with` can hold a template where keys are names that you choose, such as those of metrics.',
    '',
    'A command sees a part of the environment of your shell (see secrets.md), `env` of its stage, and `AUTORESEARCH_RUN`, `AUTORESEARCH_TASK`, `AUTORESEARCH_ATTEMPT` and',
    '`AUTORESEARCH_ROOT`. Only `env` counts for freshness: name there what a result depends on.',
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
    return [
      `## ${name}`,
      '',
      ...(definition.description ? [definition.description, ''] : []),
      '| key | value | meaning |',
      '|---|---|---|',
      ...rows,
      '',
      ...(required.size > 0 ? ['\\* required', ''] : []),
    ];
  }

  function typeOf(property) {
    if (property.$ref) {
      const name = property.$ref.split('/').pop();
      const target = schema.$defs[name];
      // Gates come in several forms, which have a page of their own.
      if (target.anyOf?.some((branch) => branch.$ref?.endsWith('Gate'))) return `[${name}](gates.md)`;
      return target.properties
        ? `[${name}](#${name.toLowerCase()})`
        : name === 'globs'
          ? 'list of paths and globs'
          : name;
    }
    if (property.const !== undefined) return `\`${property.const}\``;
    if (property.enum) return property.enum.map((value) => `\`${value}\``).join(', ');
    if (property.anyOf) return property.anyOf.map(typeOf).join(' or ');
    if (property.type === 'array') return `list of ${typeOf(property.items)}`;
    if (property.type === 'object')
      return typeof property.additionalProperties === 'object'
        ? `map of ${typeOf(property.additionalProperties)}`
        : 'map';
    if (Array.isArray(property.type)) return property.type.join(', ');
    return property.type === 'integer' ? 'whole number' : property.type;
  }
}

const made = (source) => `<!-- Made from ${source} by \`npm run generate\`. Do not edit. -->`;

/** Every diagnostic with its cause and its fix. */
export function diagnosticsReference(catalogue) {
  const groups = {
    1: 'Finding and reading',
    2: 'The shape of a config',
    3: 'Names',
    4: 'Templates and expressions',
    5: 'The graph',
    6: 'The command line',
    7: 'Not yet',
  };
  const lines = [
    '# Diagnostics',
    '',
    made('src/model/catalogue/catalogue.ts'),
    '',
    'Found before anything runs; the exit code is 2. `autoresearch explain CODE` prints the same.',
    '',
  ];
  let group;
  for (const [code, { title, cause, fix }] of Object.entries(catalogue)) {
    if (code[2] !== group) {
      group = code[2];
      lines.push(`## ${groups[group]}`, '');
    }
    lines.push(`### ${code} ${title}`, '', cause, '', `**Fix.** ${fix}`, '');
  }
  return lines.join('\n');
}

/** Every command with its options, from the table that parses them. */
export function cliReference({ commands, globalOptions }) {
  const cell = (text) => text.replaceAll('|', '\\|');
  const rows = (options) =>
    Object.entries(options).map(
      ([name, { short, value, choices, summary }]) =>
        `| \`${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` ${cell(choices ? choices.join('|') : value)}`}\` | ${cell(summary)} |`,
    );
  const head = ['| option | meaning |', '|---|---|'];
  const lines = [
    '# Command line',
    '',
    made('src/cli/line/commands.ts'),
    '',
    '`autoresearch COMMAND [options]`',
    '',
    '## For every command',
    '',
    ...head,
    ...rows(globalOptions),
    '',
  ];
  for (const [name, { summary, args, options }] of Object.entries(commands)) {
    lines.push(`## ${[name, ...args].join(' ')}`, '', `${summary[0].toUpperCase()}${summary.slice(1)}.`, '');
    if (Object.keys(options).length > 0) lines.push(...head, ...rows(options), '');
  }
  return lines.join('\n');
}
