import { waves } from '../graph/waves.js';
import type { Diagnostic } from '../model/diagnostic.js';
import { isGlob } from '../model/glob.js';
import type { Plan, Task, WorstCase } from '../model/plan.js';
import { err, ok, type Result } from '../model/result.js';
import { type GlobMatch, loadGlobMatch } from '../source/glob.js';
import { loadTemplates } from '../source/template.js';
import { checkPlainProtect, checkProtected, checkWriters } from './check-outputs.js';
import type { CompileInput } from './compile-input.js';
import { cycleProblem } from './cycle.js';
import type { Draft } from './draft.js';
import { draftStage } from './draft-stage.js';
import { addEdges } from './edges.js';
import { PathRules } from './path-rules.js';
import { planDigest } from './plan-digest.js';
import { Problems } from './problems.js';
import { checkReferences } from './references.js';
import { spreadSkips } from './skips.js';
import { checkPlainVars, checkUnusedVars, templatesIn } from './unused-vars.js';
import { WhenRules } from './when-rules.js';
import { worstCase } from './worst-case.js';
import { Writers } from './writers.js';

/** Resolved config → Plan. Reads no file, no clock and no journal; the same input gives the same bytes. */
export async function compile(input: CompileInput): Promise<Result<Plan, readonly Diagnostic[]>> {
  const { config } = input;
  const problems = new Problems();
  checkReferences(config, problems);
  checkPlainVars(config, problems);
  checkPlainProtect(config, problems);
  const templates = await loadTemplates(templatesIn(config));
  const when = await WhenRules.load(config, problems);
  const tools = { input, templates, problems, when, paths: new PathRules(problems) };
  const drafts: Draft[] = [];
  for (const [name, stage] of Object.entries(config.stages)) {
    for (const draft of draftStage(name, stage, tools)) drafts.push(draft);
  }
  checkUnusedVars(config, { templates, expressions: when.names(), userVars: input.userVars }, problems);

  const match = await matcherFor(drafts, config.protect ?? []);
  const writers = new Writers(drafts, match);
  checkWriters(drafts, writers, problems);
  checkProtected(drafts, config, { match, problems });
  addEdges(drafts, writers);
  const tasks = drafts.map((draft) => draft.task);
  const order = waves(tasks);
  if ('cycle' in order) problems.add(cycleProblem(order.cycle, drafts));
  const wrong = await problems.all();
  if ('cycle' in order || wrong.length > 0) return err(wrong);
  return ok(planOf(input, spreadSkips(tasks, order.waves), order.waves));
}

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
    get worstCase() {
      worst ??= worstCase(config, tasks);
      return worst;
    },
  };
}

/** The matching library is loaded only for a plan that has patterns. */
function matcherFor(drafts: readonly Draft[], guards: readonly string[]): Promise<GlobMatch> | GlobMatch {
  const patterns = (draft: Draft): readonly string[] => [
    ...draft.reads,
    ...draft.writes,
    ...(draft.config.protect ?? []),
  ];
  if (guards.some(isGlob) || drafts.some((draft) => patterns(draft).some(isGlob))) return loadGlobMatch();
  return (pattern, path) => pattern === path;
}
