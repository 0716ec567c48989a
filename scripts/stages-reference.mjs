// docs/stages.md: every behaviour, from its summary, its option schema and the example in its README.
import { existsSync, readFileSync } from 'node:fs';

export function stagesReference(behaviours, optionRows) {
  return [
    '# Stages and behaviours',
    '',
    '<!-- Made from stages/*/index.ts and stages/*/README.md by `npm run generate`. Do not edit. -->',
    '',
    'A stage is a named step of a study; the behaviour that it `uses` says what is done. All behaviours take their options under `with`; what every stage has',
    'besides (`needs`, `inputs`, `outputs`, `matrix`, `retry`, `gate`, `timeout` …) is in the [config reference](config.md#stage). `autoresearch stages show NAME` prints',
    'the same, and `stages show NAME --json` the JSON Schema. One of your own is a small file: see [writing a behaviour](../stages/_template/README.md).',
    '',
    '| behaviour | what it does |',
    '|---|---|',
    ...behaviours.map(({ name, summary }) => `| [${name}](#${name}) | ${cell(summary)} |`),
    '',
    ...behaviours.flatMap((behaviour) => section(behaviour, optionRows(behaviour.options))),
  ].join('\n');
}

function section({ name, summary }, rows) {
  const page = `stages/${name}/README.md`;
  if (!existsSync(page)) throw new Error(`${page} is missing: each behaviour has a page with an example`);
  const example = /```yaml\n[\s\S]*?\n```/.exec(readFileSync(page, 'utf8'))?.[0];
  if (example === undefined) throw new Error(`${page} has no example in YAML`);
  return [
    `## ${name}`,
    '',
    `${summary}. More: [its page](../${page}).`,
    '',
    example,
    '',
    '| option | value | meaning |',
    '|---|---|---|',
    ...rows.map(
      ({ path, type, isRequired, about }) =>
        `| \`${path}\`${isRequired ? ' *' : ''} | ${cell(type)} | ${cell(about)} |`,
    ),
    '',
    ...(rows.some(({ isRequired }) => isRequired) ? ['\\* required', ''] : []),
  ];
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
