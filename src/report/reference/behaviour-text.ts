import type { Behaviour } from '../../model/stage.js';
import { paint } from '../words/paint.js';
import { wrapText } from '../words/wrap-text.js';
import { optionRows } from './option-rows.js';

export interface BehaviourTextOptions {
  readonly color: boolean;
  readonly width: number;
  /** A part of a config that uses it, as YAML. */
  readonly example?: string;
}

/** `stages show NAME`: what it does, what it takes, and how that looks in a config. */
export function behaviourText(
  { name, summary, options }: Pick<Behaviour, 'name' | 'summary' | 'options'>,
  { color, width, example }: BehaviourTextOptions,
): string {
  const p = paint(color);
  const rows = optionRows(options);
  const lines = rows.flatMap(({ path, type, isRequired, about }) => [
    `  ${p.bold(path)}${isRequired ? p.red(' *') : ''}  ${p.dim(plain(type))}`,
    ...(about === '' ? [] : wrapText(plain(about), width - 6).map((line) => `      ${line}`)),
  ]);
  const note = rows.some(({ isRequired }) => isRequired) ? ' (* must be there)' : '';
  const shown = example === undefined ? [] : ['', 'For example:', ...example.split('\n').map((line) => `  ${line}`)];
  const all = [
    `${p.bold(name)}: ${summary}`,
    '',
    ...(rows.length === 0 ? ['It takes no options.'] : [`Options, under \`with\`${note}:`, ...lines]),
    ...shown,
    '',
    `As JSON Schema: autoresearch stages show ${name} --json`,
  ];
  return all.map((line) => `${line.trimEnd()}\n`).join('');
}

const plain = (text: string): string => text.replaceAll('`', '');
