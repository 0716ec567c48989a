import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInNames, loadBuiltIn } from '../../adapters/behaviours/built-in-stages.js';
import { exitCode } from '../../model/exit-code.js';
import type { Behaviour } from '../../model/stage.js';
import type { CliContext } from '../context.js';
import { listOrShow } from '../list-or-show.js';
import { packageRoot } from '../package-files.js';

export async function run(context: CliContext): Promise<number> {
  const behaviours = new Map((await builtIn()).map((behaviour) => [behaviour.name, behaviour]));
  const [verb = 'list', name] = context.positionals;
  if (context.flag('json') && verb === 'list' && name === undefined) {
    const all = [...behaviours.values()].map(({ name: one, summary }) => ({ name: one, summary }));
    context.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
    return exitCode.passed;
  }
  const { behaviourText } = await import('../../report/reference/behaviour-text.js');
  const { color, columns } = context.stdout;
  const width = Math.max(60, Math.min(140, columns()));
  return listOrShow(context, {
    noun: 'behaviour',
    names: builtInNames,
    summary: (name) => behaviours.get(name)!.summary,
    show: (name) =>
      context.flag('json')
        ? `${JSON.stringify(behaviours.get(name)!.options, null, 2)}\n`
        : behaviourText(behaviours.get(name)!, { color, width, ...exampleOf(name) }),
  });
}

/** The first example in its page, which comes with the package. */
function exampleOf(name: string): { readonly example?: string } {
  const page = join(packageRoot(), 'stages', name, 'README.md');
  if (!existsSync(page)) return {};
  const example = /```yaml\n([\s\S]*?)\n```/.exec(readFileSync(page, 'utf8'))?.[1];
  return example === undefined ? {} : { example };
}

export const behaviourSummaries = async (): Promise<readonly Pick<Behaviour, 'name' | 'summary'>[]> => builtIn();

const builtIn = (): Promise<readonly Behaviour[]> =>
  Promise.all(builtInNames.map(async (name) => (await loadBuiltIn(name))!.behaviour));
