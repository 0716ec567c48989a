import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { FoundConfig } from '../../config/find.js';
import type { ConfigSource } from '../../model/events/event.js';
import type { Project } from './open-project.js';

declare const __BUILD__: string;

/**
 * All that a plan follows from, when that is one file of plain data and this program. Undefined where there is more to it:
 * a config that is a program, one that builds on presets or variables from the command line, behaviours of the user's own.
 */
export function sourceOf({ resolved, behaviours, plan }: Project): ConfigSource | undefined {
  const [layer, ...others] = resolved.layers;
  if (!layer || others.length > 0 || resolved.config.extends !== undefined) return undefined;
  const isBuiltIn = ([uses, { digest }]: [string, { readonly digest: string }]): boolean =>
    digest.startsWith(`${uses}@`);
  if (![...behaviours].every(isBuiltIn)) return undefined;
  // Which program `auto` means, and whether recordings answer, does not stand in the file.
  if (plan.tasks.some(({ agent }) => agent?.auto ?? agent?.replayed)) return undefined;
  return dataSource({ file: resolved.file, text: layer.document.text });
}

export function dataSource({ file, text }: FoundConfig): ConfigSource | undefined {
  const name = basename(file);
  if (!/\.(json|ya?ml)$|^\.autoresearchrc$/.test(name)) return undefined;
  return { file: name, digest: hash('sha256', text), build: __BUILD__ };
}
