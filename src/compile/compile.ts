import { createHash } from 'node:crypto';
import { waves } from '../graph/waves.js';
import type { Diagnostic } from '../model/diagnostic.js';
import { isGlob } from '../model/glob.js';
import { canonicalJson } from '../model/json.js';
import type { Plan, Task } from '../model/plan.js';
import { err, ok, type Result } from '../model/result.js';
import { type GlobMatch, loadGlobMatch } from '../source/glob.js';
import { loadTemplates } from '../source/template.js';
import { checkProtected, checkWriters } from './check-outputs.js';
import type { CompileInput } from './compile-input.js';
import { cycleProblem } from './cycle.js';
import type { Draft } from './draft.js';
import { draftStage } from './draft-stage.js';
import { type Edges, edgesOf } from './edges.js';
import { Problems } from './problems.js';
import { checkReferences } from './references.js';
import { spreadSkips } from './skips.js';
import { checkPlainVars, checkUnusedVars, stringsIn } from './unused-vars.js';
import { WhenRules } from './when-rules.js';
import { worstCase } from './worst-case.js';
import { Writers } from './writers.js';

/** Resolved config → Plan. Reads no file, no clock and no journal; the same input gives the same bytes. */
export async function compile(input: CompileInput): Promise<Result<Plan, readonly Diagnostic[]>> {
  const { config } = input;
  const problems = new Problems();
  checkReferences(config, problems);
  checkPlainVars(config, problems);
  const templates = await loadTemplates(stringsIn(config));
  const when = await WhenRules.load(config, problems);
  const drafts: Draft[] = [];
  for (const [name, stage] of Object.entries(config.stages)) {
    drafts.push(...(await draftStage(name, stage, { input, templates, problems, when })));
  }
  checkUnusedVars(config, { templates, expressions: when.names(), userVars: input.userVars }, problems);

  const match = await matcherFor(drafts, config.protect ?? []);
  const writers = new Writers(drafts, match);
  checkWriters(drafts, writers, problems);
  checkProtected(drafts, config, { match, problems });
  const edges = edgesOf(drafts, writers);
  const tasks = drafts.map((draft) => taskOf(draft, edges.get(draft.id)!));
  const order = waves(tasks);
  if ('cycle' in order) problems.add(cycleProblem(order.cycle, new Map(drafts.map((draft) => [draft.id, draft])), edges));
  if ('cycle' in order || problems.list.length > 0) return err(problems.list);
  return ok(planOf(input, spreadSkips(tasks, order.waves), order.waves));
}

function planOf({ config }: CompileInput, tasks: readonly Task[], order: Plan['waves']): Plan {
  const named = { version: 1, name: config.name, tasks } as const;
  const digest = createHash('sha256').update(canonicalJson(named)).digest('hex');
  return { version: 1, name: config.name, digest, waves: order, tasks, worstCase: worstCase(config, tasks, order) };
}

function taskOf({ config: _config, reads: _reads, writes: _writes, ...task }: Draft, { needs, inferred }: Edges): Task {
  return { ...task, needs, inferred };
}

/** The matching library is loaded only for a plan that has patterns. */
function matcherFor(drafts: readonly Draft[], guards: readonly string[]): Promise<GlobMatch> | GlobMatch {
  const patterns = (draft: Draft): readonly string[] => [...draft.reads, ...draft.writes, ...(draft.config.protect ?? [])];
  if (guards.some(isGlob) || drafts.some((draft) => patterns(draft).some(isGlob))) return loadGlobMatch();
  return (pattern, path) => pattern === path;
}
