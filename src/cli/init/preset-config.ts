import type { Param } from '../../model/generated/params.js';
import type { PresetFacts } from '../../model/preset-facts.js';
import { wrapText } from '../../report/words/wrap-text.js';
import type { ConfigForm } from './config-form.js';
import type { InitFile } from './example-files.js';

export interface PresetConfigInput extends ConfigForm {
  readonly name: string;
  readonly preset: PresetFacts;
  /** What `extends` says, as seen from the config. */
  readonly entry: string;
  readonly vars: { readonly [name: string]: unknown };
}

/** A config that extends a preset: every parameter with its meaning; those that only the study knows come first. */
export function presetConfig(input: PresetConfigInput): InitFile {
  return input.form === 'yaml'
    ? { path: 'autoresearch.config.yaml', content: yamlText(input) }
    : { path: 'autoresearch.config.ts', content: tsText(input) };
}

/** Parameters that have to be set before anything can be planned. */
export const openParams = ({ params }: PresetFacts, vars: PresetConfigInput['vars']): readonly string[] =>
  Object.keys(params).filter((name) => params[name]!.default === undefined && !Object.hasOwn(vars, name));

/** Stands where a value is missing, so that it can be searched for. */
export const fillIn = 'TO FILL IN';

const tsText = (input: PresetConfigInput): string => `${headOf(input, '//')}
import { defineConfig } from 'autoresearch';

export default defineConfig({
  name: ${quoted(input.name)},
  extends: [${quoted(input.entry)}],

  vars: {
${paramLines(input, { mark: '//', indent: '    ', line: (name, value) => `${keyOf(name)}: ${tsValue(value)},` })}
  },
});
`;

function yamlText(input: PresetConfigInput): string {
  const line = (name: string, value: unknown): string => `${name}: ${yamlValue(value)}`;
  const lines = paramLines(input, { mark: '#', indent: '  ', line });
  // A map with nothing in it but comments is no map in YAML.
  const isNone = Object.keys(input.vars).length === 0;
  const vars = isNone
    ? '# Take the mark away from this line too, together with that of the first parameter:\n# vars:'
    : 'vars:';
  return `# yaml-language-server: $schema=${input.schema}
#
${headOf(input, '#')}
name: ${input.name}
extends: [${yamlValue(input.entry)}]

${vars}
${lines}
`;
}

function headOf({ preset: { summary, entry } }: PresetConfigInput, mark: string): string {
  const name = entry.replace(/^autoresearch:/, '');
  const lines = [
    ...wrapText(summary, 110),
    `The preset in full: \`npx autoresearch presets show ${name}\`. What comes from where: \`npx autoresearch config --origin\`.`,
  ];
  return lines.map((line) => `${mark} ${line}`).join('\n');
}

interface LineForm {
  readonly mark: string;
  readonly indent: string;
  line(name: string, value: unknown): string;
}

function paramLines({ preset: { params }, vars }: PresetConfigInput, form: LineForm): string {
  const names = Object.keys(params);
  const isOwn = (name: string): boolean => params[name]!.default === undefined || Object.hasOwn(vars, name);
  return [...names.filter(isOwn), ...names.filter((name) => !isOwn(name))]
    .map((name) => oneParam(name, params[name]!, { ...form, vars }).join('\n'))
    .join('\n\n');
}

function oneParam(
  name: string,
  param: Param,
  { mark, indent, line, vars }: LineForm & Pick<PresetConfigInput, 'vars'>,
): string[] {
  const isSet = Object.hasOwn(vars, name);
  const isOpen = !isSet && param.default === undefined;
  const about = `${isOpen ? `${fillIn}. ` : ''}${param.description.trim().replace(/\s+/g, ' ')}`;
  const choices = param.enum ? ` One of ${param.enum.join(', ')}.` : '';
  const value = isSet ? vars[name] : (param.default ?? param.example ?? '');
  return [
    ...wrapText(`${about}${choices}`, 110).map((text) => `${indent}${mark} ${text}`),
    `${indent}${isSet ? '' : `${mark} `}${line(name, value)}`,
  ];
}

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));

const quoted = (text: string): string => (/['\\\n\r\u2028\u2029]/.test(text) ? JSON.stringify(text) : `'${text}'`);

const tsValue = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(tsValue).join(', ')}]` : typeof value === 'string' ? quoted(value) : `${value}`;

/** JSON is YAML, and has no surprises. */
const yamlValue = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(yamlValue).join(', ')}]` : JSON.stringify(value);
