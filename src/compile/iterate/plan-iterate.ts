import type { Diagnostic } from '../../model/diagnostic.js';
import type { Config, Iterate } from '../../model/generated/config.js';
import { globsMayMeet } from '../../model/glob.js';
import type { PlanIterate, Task, TaskId } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Templates } from '../../source/template/template.js';
import type { CompileInput } from '../compile-input.js';
import type { Problems } from '../problems.js';
import { normalPath } from '../rules/path-rules.js';
import { templatesIn } from '../rules/unused-vars.js';
import type { Draft } from '../task/draft.js';
import { hasBaseline } from './iteration-names.js';
import { metricNameProblems, type NameTools } from './metric-names.js';

/**
 * What an iteration does again, and what the baseline is. Again: a task that names the iteration, asks an agent or is
 * never cached, and everything that needs one of these. The baseline: what the stage of the metric needs, without what
 * changes the files of the loop.
 */
export function planIterate(
  config: Config,
  drafts: readonly Draft[],
  {
    templates,
    problems,
    input,
  }: { readonly templates: Templates; readonly problems: Problems; readonly input: CompileInput },
): PlanIterate | undefined {
  const { iterate } = config;
  if (!iterate) return undefined;
  const tasks = drafts.map(({ task }) => task);
  const files = filesOf(iterate, tasks);
  const own = (draft: Draft): boolean =>
    draft.task.agent !== undefined || !draft.task.cache || namesIteration(draft, templates);
  const again = downstream(tasks, new Set(drafts.filter(own).map(({ task }) => task.id)));
  const changing = drafts.filter((draft) => changes(draft, files)).map(({ task }) => task.id);
  const measured = tasks.filter(({ stage }) => stage === iterate.metric?.stage);
  const found = { iterate, files, again, changing: new Set(changing), measured };
  const names = { behaviours: input.behaviours, drafts };
  for (const problem of [...metricProblems(found, names), ...fileProblems(found, drafts)]) problems.add(problem);
  const baseline = hasBaseline(iterate) ? upstream(tasks, measured, found.changing) : undefined;
  const order = tasks.map(({ id }) => id);
  return {
    again: order.filter((id) => again.has(id)),
    ...(baseline ? { baseline: order.filter((id) => baseline.has(id)) } : {}),
    ...(iterate.keep === 'best' ? { files } : {}),
  };
}

interface Found {
  readonly iterate: Iterate;
  readonly files: readonly string[];
  readonly again: ReadonlySet<TaskId>;
  readonly changing: ReadonlySet<TaskId>;
  readonly measured: readonly Task[];
}

const filesOf = ({ files, keep }: Iterate, tasks: readonly Task[]): readonly string[] => {
  if (keep !== 'best') return [];
  return [...new Set((files ?? tasks.flatMap(({ scope = [] }) => scope)).map(normalPath))];
};

function namesIteration({ config }: Draft, templates: Templates): boolean {
  const isOurs = (name: string): boolean => name === 'iteration' || name.startsWith('iteration.');
  const uses = (text: string): boolean => {
    const use = templates.check(text);
    return use.ok && [...use.value.names].some(isOurs);
  };
  return templatesIn(config).some(uses) || /\biteration\./.test(config.when ?? '');
}

const changes = ({ task, writes }: Draft, files: readonly string[]): boolean =>
  [...writes, ...(task.scope ?? [])].some((path) => files.some((file) => globsMayMeet(file, path)));

function downstream(tasks: readonly Task[], from: ReadonlySet<TaskId>): ReadonlySet<TaskId> {
  const found = new Set(from);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { id, needs } of tasks) if (needs.some((need) => found.has(need))) found.add(id);
  }
  return found;
}

function upstream(tasks: readonly Task[], from: readonly Task[], without: ReadonlySet<TaskId>): ReadonlySet<TaskId> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const found = new Set<TaskId>();
  const open = from.map(({ id }) => id);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id) || without.has(id)) continue;
    found.add(id);
    open.push(...(byId.get(id)?.needs ?? []));
  }
  return found;
}

function metricProblems({ iterate, again, changing, measured }: Found, names: NameTools): readonly Diagnostic[] {
  const { metric } = iterate;
  // What is wrong with its options was said, and what follows from that is no news.
  if (!metric || measured.length === 0 || measured[0]!.description.summary === '') return [];
  const say = (message: string, hint: string): readonly Diagnostic[] => [
    { code: 'AR341', message, at: { kind: 'config', pointer: pointerOf('iterate', 'metric', 'stage') }, hint },
  ];
  const { stage } = metric;
  if (measured.length > 1)
    return say(
      `${stage} is ${measured.length} tasks, and the metric has to come from one`,
      'Let one stage read the numbers of all of them, and name that one',
    );
  const { id } = measured[0]!;
  if (changing.has(id))
    return say(
      `${stage} changes the files of the loop itself`,
      'Measure in a stage of its own, after what changes them',
    );
  if (!again.has(id))
    return say(
      `${stage} runs once for all iterations: it needs nothing that an iteration does again`,
      'Let it need the stage that changes something, or read what that one writes',
    );
  return metricNameProblems(metric, measured[0]!, names);
}

function fileProblems({ iterate, files, changing }: Found, drafts: readonly Draft[]): readonly Diagnostic[] {
  if (iterate.keep !== 'best') return [];
  const open = iterate.files ? [] : drafts.filter((draft) => asksAuthor(draft) && !draft.task.scope);
  const wide = [...new Set(open.map(({ task }) => task.stage))].map(
    (stage): Diagnostic => ({
      code: 'AR342',
      message: `the agent of stage "${stage}" may write anywhere, so nobody can say what to put back`,
      at: { kind: 'config', pointer: pointerOf('stages', stage), key: true },
      hint: 'Give the stage a scope, or name the files under iterate.files',
    }),
  );
  if (wide.length > 0) return wide;
  if (files.length === 0)
    return [
      {
        code: 'AR342',
        message: 'keep: best has no files to keep or put back',
        at: { kind: 'config', pointer: pointerOf('iterate', 'keep'), key: true },
        hint: 'Name them under iterate.files, and in outputs of the stage that changes them',
      },
    ];
  // Who has a scope changes a file of it, so here the files were named.
  if (changing.size === 0) return (iterate.files ?? []).map((path, index) => unchanged(path, index, drafts));
  const stray = strayScopes(iterate, files, drafts);
  if (stray.length > 0) return stray;
  return ownFiles(iterate).flatMap(({ key, path }): Diagnostic[] => {
    const meets = files.find((file) => globsMayMeet(file, path));
    if (meets === undefined) return [];
    return [
      {
        code: 'AR343',
        message: `${path} (iterate.${key}) is among the files that an iteration may change (${meets})`,
        at: {
          kind: 'config',
          pointer: pointerOf('iterate', ...(iterate[key] === undefined ? ['keep'] : [key])),
          key: true,
        },
        hint: 'Put it elsewhere, or name the files more exactly',
      },
    ];
  });
}

/** Only agents have a scope: where none is asked, outputs are the one way to say what is changed. */
function unchanged(path: string, index: number, drafts: readonly Draft[]): Diagnostic {
  const asking = [...new Set(drafts.filter(asksAuthor).map(({ task }) => task.stage))];
  return {
    code: 'AR342',
    message: `no stage changes ${path}`,
    at: { kind: 'config', pointer: pointerOf('iterate', 'files', index) },
    hint:
      asking.length === 0
        ? 'Add it to outputs of the stage that changes it'
        : `Add it to outputs of the stage that changes it; where that is ${listedOr(asking)}, which asks an agent, to its scope or its outputs`,
  };
}

const asksAuthor = ({ task }: Draft): boolean => task.description.asks?.role === 'author';

const listedOr = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(' or ');

/** Where an agent may write what no iteration keeps, puts back or declares: it would lie there for the next one. */
function strayScopes(iterate: Iterate, files: readonly string[], drafts: readonly Draft[]): readonly Diagnostic[] {
  const { dir = 'iterations' } = iterate;
  const known = [...files, ...drafts.flatMap(({ writes }) => writes), `${normalPath(dir)}/**`, normalPath(dir)];
  const isStray = (path: string): boolean => !known.some((one) => globsMayMeet(one, path));
  const found = new Map<string, Diagnostic>();
  for (const { task, config } of drafts)
    for (const [index, path] of (task.scope ?? []).map(normalPath).entries()) {
      if (!isStray(path)) continue;
      const at = config.scope ? (['scope', index] as const) : [];
      found.set(`${task.stage} ${path}`, {
        code: 'AR342',
        message: `stage "${task.stage}" may write ${path}, which is neither a file of the loop (${files.join(', ')}) nor an output: what it changes there would not be kept`,
        at: { kind: 'config', pointer: pointerOf('stages', task.stage, ...at), ...(config.scope ? {} : { key: true }) },
        hint: 'Name it under iterate.files or in outputs of the stage, or take it out of scope',
      });
    }
  return [...found.values()];
}

/** What the loop itself writes, or goes by. */
const ownFiles = ({ goal, insights = 'insights.md', dir = 'iterations' }: Iterate) =>
  [
    ...(goal === undefined ? [] : [{ key: 'goal', path: normalPath(goal) } as const]),
    { key: 'insights', path: normalPath(insights) } as const,
    { key: 'dir', path: normalPath(dir) } as const,
  ] as const;
