import { dirname, join } from 'node:path';
import { writeOrTell } from '../../adapters/disk/write-or-tell.js';
import { exitCode } from '../../model/exit-code.js';
import { secretsOf } from '../../model/secrets/secrets.js';
import { executionRecord } from '../../report/record/execution.js';
import { returnText, structuredReturn } from '../../report/record/structured-return.js';
import type { CliContext } from '../context.js';
import { openRun } from '../history/open-run.js';
import { resolveFor } from '../project/open-project.js';
import { runFacts } from '../report/facts.js';
import { loopOfRun } from '../report/loop-of-run.js';
import { recordJson, writeRecord } from '../report/write-record.js';

/** Makes what is written about a run anew: `execution.md`, `execution.json` and `report.html` in its folder. */
export async function run(context: CliContext): Promise<number> {
  if (context.flag('template')) {
    context.stdout.write((await import('../../report/record/execution-template.js')).executionTemplate);
    return exitCode.passed;
  }
  context.progress.at({ what: 'reading the journal', done: 0 });
  const { store, id, dir, state, reading } = await openRun(context);
  const root = dirname(dirname(store.dir));
  // A config with mistakes must not keep anyone from seeing what happened.
  const resolved = await resolveFor(context);
  const config = resolved.ok ? resolved.value.config : undefined;
  const secrets = secretsOf({ ...context.env }, config?.secrets);
  const facts = runFacts({
    ...{ context, root, dir, state, secrets },
    plan: store.readPlan(id),
    entries: reading.entries,
    ...(await loopOfRun({ context, root, dir, state })),
  });
  if (context.flag('json')) {
    context.stdout.write(`${JSON.stringify(recordJson(executionRecord(facts)), null, 2)}\n`);
    return exitCode.passed;
  }
  if (context.flag('text')) {
    context.stdout.write(returnText(structuredReturn(executionRecord(facts))));
    return exitCode.passed;
  }
  const template = config?.report?.template;
  const problem = await writeRecord(facts, { root, runDir: dir, ...(template === undefined ? {} : { template }) });
  if (problem !== undefined) context.stderr.write(`${template} was not used: ${problem}\n`);
  const { reportPage } = await import('../../report/html/page.js');
  const file = join(dir, 'report.html');
  writeOrTell(file, await reportPage(facts, context.progress));
  context.stdout.write(`${file}\n`);
  if (context.flag('open')) await (await import('../report/open-page.js')).openPage(file, context);
  return exitCode.passed;
}
