import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstComment, summaryLine } from '../../config/first-comment.js';
import type { LayersContext } from '../../config/layers.js';
import { presetPath } from '../../config/preset-path.js';
import * as door from '../../index.js';
import { exitCode } from '../../model/exit-code.js';
import { didYouMean } from '../../source/did-you-mean.js';
import type { CliContext } from '../context.js';
import { presetsDir } from '../package-files.js';
import { refuse } from '../refuse.js';

/** `presets [list|show NAME|check FILE]`. A name without a sign of being a path or a package is a built-in one. */
export async function run(context: CliContext): Promise<number> {
  const [verb = 'list', name] = context.positionals;
  if (verb === 'list' && name === undefined) return list(context);
  if ((verb !== 'show' && verb !== 'check') || name === undefined) return unclear(context, verb);
  if (verb === 'check')
    return (await import('../project/check-preset.js')).checkPreset(presetEntry(name, context), context);
  const { loadPreset } = await import('../../config/preset-facts.js');
  const preset = await loadPreset(presetEntry(name, context), presetPlaces(context));
  if (!preset.ok) return refuse(preset.error, context);
  const { presetText } = await import('../../report/reference/preset-text.js');
  const { color, columns } = context.stdout;
  context.stdout.write(presetText(preset.value.facts, { color, width: Math.max(80, Math.min(140, columns())) }));
  return exitCode.passed;
}

/** Names of built-in presets. */
export const presetNames = (): readonly string[] =>
  readdirSync(presetsDir())
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.replace(/\.yaml$/, ''))
    .sort();

/** What `extends` of a config here would say: a built-in preset or a file may be called by its name alone. */
export function presetEntry(name: string, context: CliContext): string {
  if (/^(autoresearch:|\.|\/)/.test(name)) return name;
  if (presetNames().includes(name)) return `autoresearch:${name}`;
  if (existsSync(join(context.cwd, name))) return `./${name}`;
  const isPackage = presetPath(name, join(context.cwd, 'config'), presetPlaces(context)).ok;
  return isPackage || /[@/.]/.test(name) ? name : `autoresearch:${name}`;
}

export const presetPlaces = ({ cwd }: CliContext): LayersContext => ({
  cwd,
  presetsDir: presetsDir(),
  door: { ...door },
});

/** The built-in presets, a line about each. */
export const presetSummaries = (): readonly { readonly name: string; readonly summary: string }[] =>
  presetNames().map((name) => ({
    name,
    summary: summaryLine(firstComment(readFileSync(join(presetsDir(), `${name}.yaml`), 'utf8'))),
  }));

function list(context: CliContext): number {
  const all = presetSummaries();
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const { name, summary } of all) context.stdout.write(`${name.padEnd(width)}  ${summary}\n`);
  return exitCode.passed;
}

function unclear(context: CliContext, argument: string): Promise<number> {
  const verbs = ['list', 'show', 'check'];
  const hint = didYouMean(argument, verbs) ?? `The presets are ${presetNames().join(', ')}`;
  const message = 'this takes "list", "show NAME" or "check FILE"';
  return refuse([{ code: 'AR604', message, at: { kind: 'argument', argument }, hint }], context);
}
