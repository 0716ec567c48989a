import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { stateDir } from '../adapters/run-store.js';
import { takeLock } from '../adapters/state-lock.js';
import type { Diagnostic } from '../model/diagnostic.js';
import { exitCode } from '../model/exit-code.js';
import type { Plan } from '../model/plan.js';
import { type DeciderInput, preview } from '../run/decider.js';
import type { CliContext } from './context.js';
import { checkSavedPlan } from './saved-plan.js';
import { leftOverFiles } from './left-over-files.js';
import { missingFiles } from './missing-files.js';
import { openProject } from './open-project.js';
import { type History, openHistory } from './history.js';
import { refuse } from './refuse.js';
import { selectionOf } from './selection.js';
import { runProject } from './run-project.js';

/** resolve → load behaviours → compile → open journal → replay → run → summarise. */
export async function run(context: CliContext): Promise<number> {
  const project = await openProject(context);
  if (!project.ok) return refuse(project.error, context);
  const { plan, unsupported } = project.value;
  // What cannot be enforced is not run: a gate that nobody checks would be worse than none.
  if (unsupported.length > 0) return refuse(unsupported, context);
  const saved = context.value('plan');
  if (saved !== undefined) {
    if (!existsSync(resolve(context.cwd, saved))) return refuse([noSuchFile(saved)], context);
    checkSavedPlan(plan, saved, context.cwd);
  }
  const jobs = jobsOf(context);
  if (typeof jobs !== 'number') return refuse(jobs, context);
  const selection = selectionOf(context, plan);
  if (!selection.ok) return refuse(selection.error, context);

  const look = async (go: (history: History) => Promise<number>): Promise<number> => {
    const history = await openHistory(project.value, {
      agentId: context.agentId,
      selected: selection.value,
      afresh: context.flag('new'),
    });
    const missing = [
      ...history.missingNeeds(),
      ...project.value.resolved.locate([
        ...missingFiles(plan, history.files),
        ...(await leftOverFiles(plan, history.files)),
      ]),
    ];
    return missing.length > 0 ? refuse(missing, context) : go(history);
  };
  if (context.flag('dry-run')) return look((history) => dryRun(context, plan, history.decider));
  // What earlier runs left is read under the lock, so that no other run changes it in between.
  const release = takeLock(stateDir(project.value.resolved.root, context.agentId));
  try {
    return await look((history) => runProject({ context, project: project.value, history, jobs }));
  } finally {
    release();
  }
}

async function dryRun(context: CliContext, plan: Plan, decider: DeciderInput): Promise<number> {
  if (context.flag('json')) {
    const { planJson } = await import('../report/plan-json.js');
    context.stdout.write(`${JSON.stringify(planJson(plan, preview(plan, decider)), null, 2)}\n`);
    return exitCode.passed;
  }
  const { planList } = await import('../report/plan-list.js');
  let chunk = '';
  for (const line of planList(plan, preview(plan, decider))) {
    chunk += `${line}\n`;
    if (chunk.length > 65_536) {
      context.stdout.write(chunk);
      chunk = '';
    }
  }
  if (chunk !== '') context.stdout.write(chunk);
  else if (!context.quiet) context.stderr.write('Nothing would run: every result still holds.\n');
  return exitCode.passed;
}

function jobsOf(context: CliContext): number | readonly Diagnostic[] {
  const text = context.value('jobs');
  if (text === undefined) return availableParallelism();
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  return [
    {
      code: 'AR604',
      message: `--jobs is a whole number from 1 to 9999, not "${text}"`,
      at: { kind: 'argument', argument: text },
    },
  ];
}

const noSuchFile = (file: string): Diagnostic => ({
  code: 'AR604',
  message: `there is no file ${file}`,
  at: { kind: 'argument', argument: file },
  hint: `Save a plan with: autoresearch plan --out ${file}`,
});
