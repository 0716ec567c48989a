import { frontmatterOf, type Piece } from './frontmatter.js';
import { sectionOf } from './plan-body.js';
import { loose, phaseNumber, planIdOf, planNames } from './plan-names.js';
import { type PlanStep, readSteps } from './plan-steps.js';
import { checksOf } from './plan-verify.js';
import type { ProblemList } from './problem-list.js';
import {
  complainOfReversed,
  idProblem,
  readSharedFields,
  type SharedFields,
  taskWords,
  withReversed,
} from './task-fields.js';
import type { Span, Step, Task, Worded } from './task-list.js';
import { plainText } from './tasks-yaml.js';
import { type At, isFields, kindOf, openYaml, type Vocabulary, type YamlFields } from './yaml-fields.js';

const words: Vocabulary = withReversed({
  fields: {
    ...taskWords.fields,
    phase: ['phase'],
    plan: ['plan'],
    description: ['description'],
    objective: ['objective'],
  },
  passedOver: [
    ...taskWords.passedOver,
    ...[
      'requirements',
      'requirements_addressed',
      'gap_closure',
      'user_setup',
      'status',
      'date',
      'created',
      'subsystem',
    ],
  ],
  decisive: taskWords.decisive,
});

/** One plan is one task: its `<task>` blocks are done one after the other by the same hands. */
export async function readPlan(problems: ProblemList): Promise<readonly Task[]> {
  const parts = splitPlan(problems);
  if (!parts) return [];
  const yaml = await openYaml(problems, { text: parts.head.text, base: parts.head.start });
  const steps = readSteps(problems, parts.body);
  const start = problems.span(parts.head.start, parts.head.start);
  if (steps.length === 0) {
    const hint = 'Write each as <task> with <name>, <files>, <action>, <verify> and <done>';
    problems.error('the plan has no tasks', problems.span(parts.body.start, parts.body.start), hint);
  }
  if (!yaml) return [];
  const { value } = yaml.document;
  if (!isFields(value)) {
    problems.error(`the frontmatter must be a map, not ${kindOf(value)}`, start);
    return [];
  }
  complainOfReversed(yaml, { value, pointer: '' });
  const found = yaml.fields(value, '', words);
  const shared = readSharedFields(yaml, found);
  const id = readId(yaml, found, start);
  if (!id) return [];
  return [planTask(yaml, { found, shared, id, steps, body: parts.body })];
}

interface PlanParts {
  readonly found: ReadonlyMap<string, At>;
  readonly shared: SharedFields;
  readonly id: Worded;
  readonly steps: readonly PlanStep[];
  readonly body: Piece;
}

function planTask(yaml: YamlFields, { found, shared, id, steps, body }: PlanParts): Task {
  const { problems } = yaml;
  const [phase, plan] = [plainText(yaml, found, 'phase'), plainText(yaml, found, 'plan')];
  const whole = checksOf({ text: sectionOf(body, 'verification') ?? '', start: 0 });
  const verify = [...shared.verify, ...steps.flatMap((step) => step.verify), ...whole.commands];
  if (verify.length === 0 && steps.length > 0) {
    const hint = 'Write a command as <automated>…</automated> inside of <verify>';
    problems.warning('the plan has no command that verifies it', id.at, hint);
  }
  const prose = [...steps.flatMap((step) => step.criteria), whole.prose, sectionOf(body, 'success_criteria')];
  const files = allFiles(problems, shared.files, steps);
  return {
    id: id.text,
    title: titleOf(yaml, found, body) ?? id.text,
    description: body.text.trim(),
    dependsOn: shared.dependsOn?.map(({ text }) => text) ?? [],
    files: files.map(({ text }) => text),
    verify: [...new Set(verify)],
    criteria: prose.filter((text) => text !== undefined),
    mustHaves: shared.mustHaves,
    steps: steps.map(({ writes: _, ...step }): Step => step),
    ...(shared.wave === undefined ? {} : { wave: shared.wave }),
    autonomous: isAutonomous(problems, shared.autonomous, { steps, at: id.at }),
    file: problems.file,
    place: { line: 1, column: 1 },
    written: {
      id: id.at,
      dependsOn: shared.dependsOn,
      files,
      wave: shared.waveAt ?? id.at,
      names: planNames(id.text, { file: problems.file, phase, plan }),
    },
  };
}

function splitPlan(problems: ProblemList): { readonly head: Piece; readonly body: Piece } | undefined {
  const split = frontmatterOf(problems.text);
  if (!('missing' in split)) return split;
  if (split.missing === 'begin')
    problems.error('the plan has no frontmatter', problems.span(0, 0), 'Begin the file with a line "---"');
  else
    problems.error(
      'the frontmatter does not end',
      problems.span(split.start, split.start + 3),
      'End it with a line "---"',
    );
  return undefined;
}

/** By the name of the file, else by phase and plan. */
function readId(yaml: YamlFields, found: ReadonlyMap<string, At>, start: Span): Worded | undefined {
  const named = planIdOf(yaml.problems.file);
  const [phase, plan] = [plainText(yaml, found, 'phase'), plainText(yaml, found, 'plan')];
  const at = found.has('plan') ? yaml.span(found.get('plan')!.pointer) : start;
  const said = phase !== undefined && plan !== undefined ? `${phaseNumber(phase)}-${plan}` : undefined;
  const text = named ?? (found.has('id') ? plainText(yaml, found, 'id') : undefined) ?? said;
  if (text === undefined) {
    yaml.problems.error('the plan has no id', start, 'Call the file NN-NN-PLAN.md, or write "phase" and "plan"');
    return undefined;
  }
  const wrong = idProblem(text);
  if (wrong !== undefined) {
    yaml.problems.error(`the id ${JSON.stringify(text)} ${wrong}`, at, 'Use letters, digits and "-"');
    return undefined;
  }
  if (named !== undefined && plan !== undefined && !loose(`-${named}`).endsWith(loose(`-${plan}`)))
    yaml.problems.warning(
      `the file is plan "${named}", but its frontmatter says plan "${plan}"`,
      at,
      'The name of the file counts',
    );
  return { text, at };
}

function titleOf(yaml: YamlFields, found: ReadonlyMap<string, At>, body: Piece): string | undefined {
  const said = ['title', 'name', 'objective', 'description'].map((name) => plainText(yaml, found, name));
  const objective = sectionOf(body, 'objective');
  const heading = /^#[ \t]+(.+)$/m.exec(body.text)?.[1]?.trim();
  const lines = objective?.split('\n').map((line) => line.trim());
  return (
    said.find((text) => text !== undefined) ?? heading ?? lines?.find((line) => line !== '' && !line.startsWith('#'))
  );
}

/** What the frontmatter lists, and what the steps name beyond that: both would be written. */
function allFiles(problems: ProblemList, listed: readonly Worded[], steps: readonly PlanStep[]): readonly Worded[] {
  const files = [...listed];
  for (const { text, at } of steps.flatMap(({ writes }) => writes)) {
    if (files.some((file) => file.text === text)) continue;
    files.push({ text, at });
    const isCovered =
      listed.length === 0 || listed.some((file) => file.text.includes('*') || text.startsWith(`${file.text}/`));
    if (!isCovered) problems.warning(`"${text}" is not among files_modified`, at, 'List it there');
  }
  return files;
}

function isAutonomous(
  problems: ProblemList,
  said: boolean | undefined,
  { steps, at }: { readonly steps: readonly Step[]; readonly at: Span },
): boolean {
  const checkpoint = steps.find(({ type }) => type.startsWith('checkpoint'));
  if (!checkpoint) return said ?? true;
  if (said) problems.warning(`the plan says that it is autonomous, but "${checkpoint.name}" waits for a human`, at);
  return false;
}
