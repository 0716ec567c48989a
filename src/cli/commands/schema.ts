import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCode } from '../../model/exit-code.js';
import { didYouMean } from '../../source/did-you-mean.js';
import type { CliContext } from '../context.js';
import { schemasDir } from '../package-files.js';
import { refuse } from '../refuse.js';

/** Of the published schemas. */
export const schemaNames = (): readonly string[] =>
  readdirSync(schemasDir()).flatMap((file) => /^(.+)\.schema\.json$/.exec(file)?.[1] ?? []);

export async function run(context: CliContext): Promise<number> {
  const names = schemaNames();
  const name = context.positionals[0] ?? 'config';
  if (!names.includes(name)) {
    const hint = didYouMean(name, names) ?? `The schemas are ${names.join(', ')}`;
    return refuse(
      [{ code: 'AR604', message: `there is no schema "${name}"`, at: { kind: 'argument', argument: name }, hint }],
      context,
    );
  }
  context.stdout.write(readFileSync(join(schemasDir(), `${name}.schema.json`), 'utf8'));
  return exitCode.passed;
}
