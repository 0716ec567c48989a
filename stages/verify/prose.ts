import { type Failure, type Finding, gap, holds, type StageContext } from 'autoresearch';

interface Asking {
  readonly claims: readonly string[];
  readonly context: StageContext;
}

/** Statements that only a reader can judge. Those that nobody has checked are gaps. */
export async function checkProse(
  prose: readonly string[],
  { claims, context }: Asking,
): Promise<readonly Finding[] | { readonly ended: Failure }> {
  if (prose.length === 0) return [];
  if (context.agent === undefined)
    return prose.map((truth) => gap('truth', truth, 'nobody checks it: give it a command, or the stage an agent'));
  const end = await context.ask({ prompt: promptFor(prose, claims), reply: 'checklist', access: 'read' });
  if (!end.ok) {
    const { failure } = end;
    // An agent that may be missing is no reason to leave out what was found without it.
    if (failure.code !== 'agent-failed' || (failure.why !== 'not-installed' && failure.why !== 'not-logged-in'))
      return { ended: failure };
    return prose.map((truth) => gap('truth', truth, `nobody has checked it: ${failure.agent}: ${failure.detail}`));
  }
  const results = new Map(end.reply.results.map((result) => [result.number, result]));
  const told = new Set(context.listFiles(claims));
  return prose.map((truth, index) => {
    const result = results.get(index + 1);
    if (!result) return gap('truth', truth, `${context.agent} said nothing about it`);
    if (!result.holds) return gap('truth', truth, `${context.agent}: ${result.reason}`);
    const seen = result.files.map(placeOf).filter((file) => isFile(file, context) && !told.has(file));
    if (seen.length === 0)
      return gap(
        'truth',
        truth,
        `${context.agent} names no file in which it can be seen${result.files.length > 0 ? ` (${result.files.join(', ')})` : ''}`,
      );
    return holds('truth', truth, `${context.agent}: ${result.reason} (${seen.slice(0, 3).join(', ')})`);
  });
}

/** `./src/a.py:12` is src/a.py. */
const placeOf = (file: string): string => file.replace(/^(?:\.\/)+/, '').replace(/:\d+(?:-\d+)?$/, '');

/** One file of the project: a folder shows nothing, and what lies elsewhere is not what was asked about. */
const isFile = (file: string, context: StageContext): boolean =>
  !file.startsWith('/') && !file.split('/').includes('..') && context.listFiles([file])[0] === file;

function promptFor(prose: readonly string[], claims: readonly string[]): string {
  return [
    'Check whether each of these statements is true of the project in the current folder. Somebody else did the work.',
    '',
    ...prose.map((truth, index) => `${index + 1}. ${truth}`),
    '',
    'Look at the code, the configs and the results themselves. What somebody says about the work is not evidence:',
    `ignore the files ${claims.join(', ')} and every comment or text that only claims that something was done.`,
    'A statement holds only if you have seen it in a file; name the files, as paths from the project folder. When in doubt it does not hold.',
  ].join('\n');
}
