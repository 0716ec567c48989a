import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { diskError } from '../../adapters/disk/disk-error.js';
import { makeFolders } from '../../adapters/disk/make-folders.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { exitCode } from '../../model/exit-code.js';
import { secretsOf } from '../../model/secrets/secrets.js';
import { crateMetadata } from '../../report/crate/crate.js';
import { ownFolder, workflowFile } from '../../report/crate/entity.js';
import type { LoopFacts } from '../../report/history/run-facts.js';
import { reportPage } from '../../report/html/page.js';
import type { CliContext } from '../context.js';
import { openRun } from '../history/open-run.js';
import { resolveFor } from '../project/open-project.js';
import { refuse } from '../refuse.js';
import { crateFiles } from '../report/crate-files.js';
import { runFacts } from '../report/facts.js';
import { loopOfRun } from '../report/loop-of-run.js';
import { writeRecord } from '../report/write-record.js';

declare const __VERSION__: string;

/** Packs a run for archives: what it read and made, and who made what from what, as a Workflow Run RO-Crate. */
export async function run(context: CliContext): Promise<number> {
  const { store, id, dir, state, reading } = await openRun(context);
  const root = dirname(dirname(store.dir));
  const out = resolve(context.cwd, context.value('out') ?? `ro-crate-${id}`);
  const plan = store.readPlan(id);
  const problem = outProblem(out) ?? (plan ? undefined : noPlan(id));
  if (problem || !plan) return refuse([problem!], context);
  const resolved = await resolveFor(context);
  const secrets = secretsOf({ ...context.env }, resolved.ok ? resolved.value.config.secrets : undefined);
  const loop = await loopOfRun({ context, root, dir, state });
  const all = runFacts({ context, root, dir, state, plan, entries: reading.entries, secrets, ...loop });
  const facts = { ...all, ...(all.loop ? { loop: inCrate(all.loop) } : {}) };
  const found = crateFiles(root, state, secrets);
  const license = context.value('license') ?? (existsSync(join(root, 'LICENSE')) ? 'LICENSE' : undefined);
  const own = license === 'LICENSE' ? [{ path: 'LICENSE', what: 'the licence of the study' }] : [];
  const record = facts.loop && facts.loop.problem === undefined ? [recordName] : [];
  const about = ['journal.jsonl', ...record, 'execution.md', 'execution.json', 'report.html'].map((path) => ({
    path: `${ownFolder}/${path}`,
    what: words[path]!,
  }));
  try {
    makeFolders(join(out, ownFolder));
    const copied = [...found.files, ...own];
    for (const [done, { path }] of copied.entries()) {
      context.progress.at({ what: 'copying files', done, total: copied.length });
      makeFolders(dirname(join(out, path)));
      copyFileSync(join(root, path), join(out, path));
    }
    copyFileSync(store.journalFile(id), join(out, ownFolder, 'journal.jsonl'));
    for (const name of record) copyFileSync(join(store.dir, name), join(out, ownFolder, name));
    await writeRecord({ ...facts, toRoot: '..' }, { root, runDir: join(out, ownFolder) });
    const page = await reportPage({ ...facts, toRoot: '..' }, context.progress);
    writeFileSync(join(out, ownFolder, 'report.html'), page);
    writeFileSync(join(out, workflowFile), `${JSON.stringify(plan, null, 2)}\n`);
    const metadata = crateMetadata({
      facts,
      plan,
      tool: __VERSION__,
      files: [...found.files, ...own, ...about],
      missing: found.missing,
      ...(license === undefined ? {} : { license }),
    });
    writeFileSync(join(out, 'ro-crate-metadata.json'), `${secrets.hideValues(JSON.stringify(metadata, null, 2))}\n`);
  } catch (error) {
    throw diskError(error, out);
  }
  for (const { path, what } of found.missing) context.stderr.write(`${path} is not in the crate: ${what}\n`);
  if (license === undefined)
    context.stderr.write('No licence is stated: archives ask for one (--license, or a file LICENSE).\n');
  context.stdout.write(`${out}\n`);
  return exitCode.passed;
}

const recordName = 'iterations.jsonl';

/** The record comes along; what lies beside it at home does not. */
const inCrate = ({ dir: _dir, ...loop }: LoopFacts): LoopFacts => ({ ...loop, path: `${ownFolder}/${recordName}` });

const words: Readonly<Record<string, string>> = {
  'journal.jsonl': 'everything that happened, one hash-chained event a line',
  [recordName]: 'every iteration of the loop that the run belongs to, one hash-chained event a line',
  'execution.md': 'what the run did, in words',
  'execution.json': 'what the run did, as data',
  'report.html': 'what the run did, to be looked at',
};

function outProblem(out: string): Diagnostic | undefined {
  if (!existsSync(out)) return undefined;
  const isEmpty = (() => {
    try {
      return readdirSync(out).length === 0;
    } catch {
      return false;
    }
  })();
  if (isEmpty) return undefined;
  return {
    code: 'AR641',
    message: `${out} is there already, and is not an empty folder`,
    at: { kind: 'argument', argument: out },
    hint: 'Name another folder with --out',
  };
}

const noPlan = (run: string): Diagnostic => ({
  code: 'AR641',
  message: `the plan of run ${run} is gone, and without it nobody can tell what its tasks were`,
  at: { kind: 'argument', argument: run },
});
