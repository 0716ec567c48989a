import { waves } from '../graph/waves.js';
import type { Diagnostic } from '../model/diagnostic.js';
import { isGlob } from '../model/glob.js';
import type { Plan, Task, WorstCase } from '../model/plan.js';
import { err, ok, type Result } from '../model/result.js';
import { stageList } from '../model/stage-list.js';
import { type GlobMatch, loadGlobMatch } from '../source/glob.js';
import { loadTemplates } from '../source/template/template.js';
import type { CompileInput } from './compile-input.js';
import { expandStages } from './expand/expand-stages.js';
import { putFirst } from './expand/first-stages.js';
import { cycleProblem } from './graph/cycle.js';
import { addEdges } from './graph/edges.js';
import { spreadSkips } from './graph/skips.js';
import { worstCase } from './graph/worst-case.js';
import { Writers } from './graph/writers.js';
import { planDigest } from './plan-digest.js';
import { Problems } from './problems.js';
import { checkEscalation, checkUnusedAgents } from './rules/agent-rules.js';
import { checkOwnFiles, checkPlainProtect, checkProtected, checkWriters } from './rules/check-outputs.js';
import { checkCommits } from './rules/commit-rules.js';
import { checkNotify } from './rules/notify-rules.js';
import { PathRules } from './rules/path-rules.js';
import { checkStageProtect } from './rules/protect-rules.js';
import { checkReferences } from './rules/references.js';
import { checkRetries } from './rules/retry-rules.js';
import { checkSecrets } from './rules/secret-rules.js';
import { checkPlainVars, checkUnusedVars, templatesIn } from './rules/unused-vars.js';
import { WhenRules } from './rules/when-rules.js';
import type { Draft } from './task/draft.js';
import { type DraftTools, draftStage } from './task/draft-stage.js';

/** Resolved config → Plan. Reads no file, no clock and no journal; the same input gives the same bytes. */
export async function compile(input: CompileInput): Promise<Result<Plan, readonly Diagnostic[]>> {
  const { config } = input;
  const problems = new Problems();
  checkReferences(config, problems, input.autoAgents);
  checkEscalation(config, problems);
  checkUnusedAgents(config, input.userAgents, problems);
  checkRetries(config, problems);
  checkSecrets(config, problems);
  checkPlainVars(config, problems);
  checkPlainProtect(config, problems);
  if (config.autonomous)
    for (const problem of (await import('./expand/autonomous.js')).autonomousProblems(config)) problems.add(problem);
  const templates = await loadTemplates(templatesIn(config));
  const when = await WhenRules.load(config, input.behaviours, problems);
  const paths = new PathRules(problems);
  if (config.iterate) (await import('./rules/iterate-rules.js')).checkIterate(config, { problems, paths });
  const expansions = await expandStages(input, { templates, problems, paths });
  const gates = hasGates(config) ? await loadGates() : undefined;
  const { draftGate } = gates ?? {};
  const tools = { input, templates, problems, when, draftGate, paths, expansions };
  const drafts: Draft[] = [];
  const stages = stageList(config);
  for (const [index, [name, stage]] of stages.entries()) {
    input.progress?.at({ what: 'reading stages', done: index, total: stages.length });
    for (const draft of draftStage(name, stage, tools)) drafts.push(draft);
  }
  checkNotify(config, templates, problems);
  checkCommits(config, templates, problems);
  if (speaksOfMoney(config)) {
    const { checkBudgets } = await import('./rules/budget-rules.js');
    checkBudgets(config, input.userPrices, problems);
  }
  const clusters = await clustersOf(drafts, tools);
  checkUnusedVars(config, { templates, expressions: when.names(), userVars: input.userVars }, problems);

  const match = await matcherFor(drafts, config.protect ?? []);
  const writers = new Writers(drafts, match);
  checkWriters(drafts, writers, problems);
  checkProtected(drafts, config, { match, problems });
  checkOwnFiles(drafts, input.ownFiles ?? [], { match, problems });
  addEdges(drafts, writers);
  if (input.first?.size) putFirst(drafts, input.first);
  checkStageProtect(drafts, problems);
  await checkWhoWorks(config, drafts, problems);
  if (drafts.some(({ task }) => task.uses === 'compare'))
    (await import('./rules/compared-arms.js')).checkCompared(drafts, problems);
  gates?.checkGates(config, drafts, problems);
  const iterate = config.iterate
    ? (await import('./iterate/plan-iterate.js')).planIterate(config, drafts, tools)
    : undefined;
  const tasks = drafts.map((draft) => draft.task);
  const order = waves(tasks);
  if ('cycle' in order) problems.add(cycleProblem(order.cycle, drafts));
  const wrong = await problems.all();
  if ('cycle' in order || wrong.length > 0) return err(wrong);
  const plan = planOf(input, spreadSkips(tasks, order.waves), order.waves);
  return ok(Object.assign(plan, clusters ? { clusters } : {}, iterate ? { iterate } : {}));
}

/** Most studies run here, and load nothing for clusters. */
async function clustersOf(drafts: readonly Draft[], tools: DraftTools): Promise<Plan['clusters']> {
  const { clusters, budget } = tools.input.config;
  if (!clusters && budget?.gpuHours === undefined && !drafts.some(({ task }) => task.on)) return undefined;
  return (await import('./task/cluster-settings.js')).clusterSettings(drafts, tools);
}

const hasGates = (config: CompileInput['config']): boolean => stageList(config).some(([, { gate }]) => gate);

async function loadGates() {
  const [{ draftGate }, { checkGates }] = await Promise.all([
    import('./task/draft-gate.js'),
    import('./rules/gate-rules.js'),
  ]);
  return { draftGate, checkGates };
}

/** Most studies of commands have nothing to do with agents and do not load these rules. */
async function checkWhoWorks(
  config: CompileInput['config'],
  drafts: readonly Draft[],
  problems: Problems,
): Promise<void> {
  if (!config.agents && !drafts.some(({ task }) => task.description.asks ?? task.description.problems)) return;
  const [{ checkTaskAgent }, { checkFamilies }] = await Promise.all([
    import('./rules/task-agent-rules.js'),
    import('./rules/family-rules.js'),
  ]);
  for (const draft of drafts) checkTaskAgent(config, draft, problems);
  checkFamilies(config, drafts, problems);
}

const speaksOfMoney = (config: CompileInput['config']): boolean =>
  (config.budget ?? config.prices ?? config.iterate?.budget) !== undefined ||
  stageList(config).some(([, { budget }]) => budget !== undefined);

function planOf({ config }: CompileInput, tasks: readonly Task[], order: Plan['waves']): Plan {
  let digest: string | undefined;
  let worst: WorstCase | undefined;
  return {
    version: 1,
    name: config.name,
    // Both take time in a large plan, and a dry run needs neither.
    get digest() {
      digest ??= planDigest({ version: 1, name: config.name, tasks });
      return digest;
    },
    waves: order,
    tasks,
    ...(config.escalate === undefined || config.escalate.length === 0 ? {} : { escalate: config.escalate }),
    ...(config.protect && config.protect.length > 0 ? { protect: config.protect } : {}),
    get worstCase() {
      worst ??= worstCase(config, tasks);
      return worst;
    },
  };
}

/** The matching library is loaded only for a plan that has patterns. */
function matcherFor(drafts: readonly Draft[], guards: readonly string[]): Promise<GlobMatch> | GlobMatch {
  const hasPattern = ({ reads, writes, config }: Draft): boolean =>
    reads.some(isGlob) || writes.some(isGlob) || (config.protect?.some(isGlob) ?? false);
  if (guards.some(isGlob) || drafts.some(hasPattern)) return loadGlobMatch();
  return (pattern, path) => pattern === path;
}
