import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import type { Diagnostic } from '../../model/diagnostic.js';
import { exitCode } from '../../model/exit-code.js';
import { shellQuote } from '../../source/shell-quote.js';
import type { CliContext } from '../context.js';
import { changesFor } from '../init/changes.js';
import type { ConfigForm } from '../init/config-form.js';
import { makeChanges } from '../init/make-changes.js';
import { chooseStudy, type StudyChoice } from '../init/study-choice.js';
import { refuse } from '../refuse.js';

/**
 * Writes a working project, or what is missing around the config of one. Nothing that is there is overwritten: .gitignore and
 * AGENTS.md get the lines that they lack, and each line is told of.
 */
export async function run(context: CliContext): Promise<number> {
  const dir = resolve(context.cwd, context.positionals[0] ?? '.');
  const shown = relative(context.cwd, dir) || '.';
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === false)
    return refuse([usage(`${shown} is a file, not a folder`, shown)], context);
  const config = configIn(dir);
  if (config !== undefined) return keepConfig(context, dir, config);
  const study = await chooseStudy(context, { dir, name: nameFor(dir), ...formOf(context, dir) });
  if (study === undefined) return stopped(context);
  if (!study.ok) return refuse(study.error, context);
  const changes = changesFor(dir, study.value);
  if (!changes.ok) return refuse(changes.error, context);
  tell(context, makeChanges(changes.value, context.cwd));
  return next(context, dir, study.value);
}

/** Only what is around it. Whatever else was asked for would be ignored, so it is refused. */
async function keepConfig(context: CliContext, dir: string, config: string): Promise<number> {
  const preset = context.value('preset');
  const asked =
    preset === undefined ? (context.set.length > 0 ? '--set' : context.flag('yaml') ? '--yaml' : '') : '--preset';
  const path = relative(context.cwd, join(dir, config.replace(/#.*$/, '')));
  if (asked !== '')
    return refuse(
      [
        usage(
          `${path} is there already, and is never overwritten; ${asked} is for a new one`,
          asked,
          preset === undefined ? 'Choose another folder' : `Add to it: extends: ["autoresearch:${preset}"]`,
        ),
      ],
      context,
    );
  const changes = changesFor(dir, { files: [], config, hasExample: false });
  if (!changes.ok) return refuse(changes.error, context);
  tell(context, [`kept ${path}: the config is there already`, ...makeChanges(changes.value, context.cwd)]);
  return next(context, dir, { files: [], config, hasExample: false });
}

function tell(context: CliContext, lines: readonly string[]): void {
  if (!context.quiet) context.stdout.write(lines.map((line) => `  ${line}\n`).join(''));
}

function next(context: CliContext, dir: string, { config, open = [] }: StudyChoice): number {
  if (context.quiet) return exitCode.passed;
  const go = dir === context.cwd ? '' : `cd ${shellQuote(relative(context.cwd, dir))} && `;
  const fill =
    open.length === 0 ? '' : `To fill in, in ${join(relative(context.cwd, dir), config)}: ${open.join(', ')}\n`;
  context.stdout.write(`\n${fill}${open.length === 0 ? 'Next' : 'Then'}: ${go}autoresearch plan\n`);
  return exitCode.passed;
}

function stopped(context: CliContext): number {
  context.stdout.write('\nNothing was written.\n');
  return exitCode.usage;
}

/** A file, or `package.json#autoresearch`. */
function configIn(dir: string): string | undefined {
  const names = statSync(dir, { throwIfNoEntry: false }) ? readdirSync(dir) : [];
  const own = names.find((name) => /^(autoresearch\.config\.\w+|\.autoresearchrc(\.\w+)?)$/.test(name));
  if (own !== undefined || !names.includes('package.json')) return own;
  try {
    const said = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as { readonly autoresearch?: unknown };
    return said?.autoresearch === undefined ? undefined : 'package.json#autoresearch';
  } catch {
    // Whoever needs it says what is wrong with it.
    return undefined;
  }
}

/** The schema is where the package is, once it is installed beside the study. */
function formOf(context: CliContext, dir: string): ConfigForm {
  const place = 'node_modules/autoresearch/schemas';
  let above = '';
  for (let folder = dir; ; folder = resolve(folder, '..'), above = `../${above}`) {
    const isHere = statSync(join(folder, place), { throwIfNoEntry: false }) !== undefined;
    if (isHere || resolve(folder, '..') === folder)
      return { form: context.flag('yaml') ? 'yaml' : 'ts', schema: `${isHere ? above || './' : './'}${place}` };
  }
}

/** The folder's name made into a study's name: a letter first, then letters, digits, - and _. */
function nameFor(dir: string): string {
  const name = basename(dir)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 64)
    .replace(/-+$/, '');
  return name === '' ? 'study' : name;
}

const usage = (message: string, argument: string, hint?: string): Diagnostic => ({
  code: 'AR604',
  message,
  at: { kind: 'argument', argument },
  ...(hint === undefined ? {} : { hint }),
});
