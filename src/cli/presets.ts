import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliContext } from './context.js';
import { listOrShow } from './list-or-show.js';
import { presetsDir } from './package-files.js';

/** The summary of a preset is the first comment of its file. */
export async function run(context: CliContext): Promise<number> {
  const files = readdirSync(presetsDir()).filter((file) => file.endsWith('.yaml'));
  const texts = new Map(
    files.map((file) => [file.replace(/\.yaml$/, ''), readFileSync(join(presetsDir(), file), 'utf8')]),
  );
  return listOrShow(context, {
    noun: 'preset',
    names: [...texts.keys()],
    summary: (name) => summaryOf(texts.get(name)!),
    show: (name) => texts.get(name)!,
  });
}

const summaryOf = (text: string): string =>
  text
    .split('\n')
    .find((line) => /^# (?!yaml-language-server)/.test(line))
    ?.slice(2) ?? '';
