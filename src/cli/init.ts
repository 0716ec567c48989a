import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { diskError } from '../adapters/disk-error.js';
import type { Diagnostic } from '../model/diagnostic.js';
import { exitCode } from '../model/exit-code.js';
import { shellQuote } from '../source/shell-quote.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { CliContext } from './context.js';
import { initFiles, initPresets } from './init-templates.js';
import { refuse } from './refuse.js';

/** Writes a working project. Files that are there already are never touched, but for lines added to .gitignore; a README.md is left out then. */
export async function run(context: CliContext): Promise<number> {
  const say = (text: string): void => {
    if (!context.quiet) context.stdout.write(text);
  };
  const dir = resolve(context.cwd, context.positionals[0] ?? '.');
  const preset = context.value('preset');
  if (preset !== undefined && !initPresets.includes(preset)) return refuse([unknownPreset(preset)], context);
  const planned = initFiles({ name: nameFor(dir), ...(preset === undefined ? {} : { preset }) });
  const files = planned.filter(({ path }) => path !== 'README.md' || !existsSync(join(dir, path)));
  const config = readdirIn(dir).find((name) => /^(autoresearch\.config\.\w+|\.autoresearchrc(\.\w+)?)$/.test(name));
  if (config !== undefined) return refuse([inTheWay(join(dir, config), context.cwd)], context);
  const taken = files.filter(({ path }) => path !== '.gitignore' && existsSync(join(dir, path)));
  if (taken.length > 0)
    return refuse(
      taken.map(({ path }) => inTheWay(join(dir, path), context.cwd)),
      context,
    );
  for (const { path, content } of files) {
    put(join(dir, path), content);
    say(`  wrote ${relative(context.cwd, join(dir, path))}\n`);
  }
  const go = dir === context.cwd ? '' : `cd ${shellQuote(relative(context.cwd, dir))} && `;
  say(`\nNext: ${go}npx autoresearch plan\n`);
  return exitCode.passed;
}

function readdirIn(dir: string): string[] {
  return existsSync(dir) && statSync(dir).isDirectory() ? readdirSync(dir) : [];
}

function put(file: string, content: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    if (basename(file) === '.gitignore' && existsSync(file)) {
      const known = readFileSync(file, 'utf8');
      const missing = content.split('\n').filter((line) => line !== '' && !known.split('\n').includes(line));
      if (missing.length > 0)
        appendFileSync(file, `${known === '' || known.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
    } else writeFileSync(file, content, { flag: 'wx' });
  } catch (error) {
    throw diskError(error, file);
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

const unknownPreset = (preset: string): Diagnostic => ({
  code: 'AR106',
  message: `there is no preset "${preset}"`,
  at: { kind: 'argument', argument: preset },
  hint: didYouMean(preset, initPresets) ?? `The presets are ${initPresets.join(', ')}`,
});

const inTheWay = (file: string, cwd: string): Diagnostic => ({
  code: 'AR604',
  message: `${relative(cwd, file)} is there already`,
  at: { kind: 'argument', argument: relative(cwd, file) },
  hint: 'Nothing was written; choose another folder, or move the file away',
});
