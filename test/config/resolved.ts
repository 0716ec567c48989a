import { join } from 'node:path';
import { expect } from 'vitest';
import { type ResolvedConfig, type ResolveRequest, resolveConfig } from '../../src/config/resolve.js';
import type { LocatedDiagnostic } from '../../src/model/diagnostic.js';
import { snapshot, tempProject } from './temp-project.js';

export const door = { defineConfig: (config: unknown) => config, defineStage: (stage: unknown) => stage };

export type Files = Readonly<Record<string, string>>;

/** Resolves the config of a folder with these files; those under `presets/` are the built-in presets. Nothing may be written. */
export async function resolveFiles(files: Files, options: Partial<ResolveRequest> = {}) {
  const root = tempProject(files);
  const before = snapshot(root);
  const result = await resolveConfig({ cwd: root, set: [], presetsDir: join(root, 'presets'), door, ...options });
  expect(snapshot(root)).toEqual(before);
  return { root, result };
}

export async function resolved(files: Files, options: Partial<ResolveRequest> = {}): Promise<ResolvedConfig> {
  const { result } = await resolveFiles(files, options);
  if (!result.ok) throw new Error(result.error.map(shown).join('\n'));
  return result.value;
}

/** All mistakes as a person would read them, one text each. */
export async function complaints(files: Files, options: Partial<ResolveRequest> = {}): Promise<string[]> {
  const { result } = await resolveFiles(files, options);
  return result.ok ? [] : result.error.map(shown);
}

/** `file:line:column CODE message (hint)`, then the line with its mark. */
export function shown(diagnostic: LocatedDiagnostic): string {
  const { code, message, hint, place, at } = diagnostic;
  const where = place
    ? [place.file, place.line, place.column].filter((part) => part !== undefined).join(':')
    : at?.kind === 'argument'
      ? at.argument
      : '';
  const head = `${where} ${code} ${message}${hint === undefined ? '' : ` (${hint})`}`;
  if (place?.text === undefined) return head;
  const mark = ' '.repeat(place.column! - 1) + '^'.repeat(Math.max(1, place.endColumn! - place.column!));
  const related = (diagnostic.relatedPlaces ?? []).map(
    (each) => `\n${each.place?.file}:${each.place?.line}:${each.place?.column} ${each.message}`,
  );
  return `${head}\n${place.text}\n${mark}${related.join('')}`;
}
