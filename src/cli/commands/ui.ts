import { basename, dirname } from 'node:path';
import { startDashboard } from '../../adapters/person/dashboard-server.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { exitCode } from '../../model/exit-code.js';
import { secretsOf } from '../../model/secrets/secrets.js';
import type { CliContext } from '../context.js';
import { storeFor } from '../history/open-run.js';
import { resolveFor } from '../project/open-project.js';
import { refuse } from '../refuse.js';
import { route } from '../ui/routes.js';
import { RunWatch } from '../ui/run-watch.js';

/** Serves the dashboard until it is told to stop. It follows the journals, so it shows runs that were started elsewhere too. */
export async function run(context: CliContext): Promise<number> {
  const port = Number(context.value('port') ?? 0);
  if (!/^\d{1,5}$/.test(context.value('port') ?? '0') || port > 65_535)
    return refuse([badPort(context.value('port')!)], context);
  const store = await storeFor(context);
  const resolved = await resolveFor(context);
  const config = resolved.ok ? resolved.value.config : undefined;
  const watch = new RunWatch(context, store.dir, secretsOf({ ...context.env }, config?.secrets));
  const readOnly = context.flag('read-only');
  const tools = { watch, name: config?.name ?? basename(dirname(dirname(store.dir))), readOnly };
  const dashboard = await startDashboard({
    port,
    readOnly,
    open: new Set(['/app.js', '/style.css']),
    handle: (asked) => route(asked, tools),
  });
  context.stdout.write(`${dashboard.url}\n`);
  if (!context.quiet)
    context.stderr.write('Only this machine can reach it, and only with this address. Ctrl-C ends it; runs go on.\n');
  if (context.flag('open')) await (await import('../report/open-page.js')).openPage(dashboard.url, context);
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve(name));
  });
  await dashboard.close();
  return signal === 'SIGINT' ? exitCode.passed : exitCode.terminated;
}

const badPort = (text: string): Diagnostic => ({
  code: 'AR604',
  message: `--port is a number from 0 to 65535, not "${text}"`,
  at: { kind: 'argument', argument: text },
});
