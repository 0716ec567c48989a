import { errorLog } from '../../model/files/error-log-path.js';
import { literally } from '../../model/glob.js';
import type { Plan } from '../../model/plan.js';
import { loadGlobMatch } from '../../source/glob.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { insightsFile, loopDir } from './iteration-now.js';
import { nowhere } from './loop-measure.js';

interface OfStudy {
  readonly project: Project;
  readonly context: CliContext;
}

/**
 * What the study itself makes, which may differ from what is committed. Between two iterations a person may also have
 * changed its rules; what that means for the numbers is looked at on its own.
 */
export async function mayDiffer({
  project,
  context,
}: OfStudy): Promise<(isFirst: boolean) => (file: string) => boolean> {
  const { config, ownFiles } = project.resolved;
  const match = await loadGlobMatch();
  // The run of a baseline is only a part of the plan, and what the rest of it makes comes later.
  const whole = await project.at(nowhere);
  const made = [...writtenIn(project.plan), ...(whole.ok ? writtenIn(whole.value.plan) : [])];
  const own = ['.autoresearch', errorLog, insightsFile(config.iterate!), loopDir(config.iterate!)];
  const all = [...made, ...own, ...recordings({ project, context })];
  return (isFirst) => {
    const patterns = isFirst ? all : [...all, ...ownFiles.map(literally)];
    return (file) => patterns.some((pattern) => match(pattern, file));
  };
}

/** What may be written while an iteration runs: its files, what its tasks declare, and its own folder. A scope alone is not enough: nobody keeps it. */
export const mayWrite = (study: OfStudy, { dir }: { readonly dir: string }): readonly string[] => {
  const { plan } = study.project;
  const mirrors = plan.tasks.flatMap(({ mirror = [] }) => mirror.flat());
  return [...(plan.iterate?.files ?? []), ...mirrors, ...writtenIn(plan), errorLog, dir, ...recordings(study)];
};

/** Where agents may write. */
export const scopesIn = ({ tasks }: Plan): readonly string[] => tasks.flatMap(({ scope = [] }) => scope);

/** Whether a file is one that a loop keeps or puts back, and no output of a stage, which it leaves to the stages. */
export async function isOfLoop(plan: Plan): Promise<(path: string) => boolean> {
  const match = await loadGlobMatch();
  const [own, made] = [plan.iterate?.files ?? [], writtenIn(plan)];
  return (path) => own.some((one) => match(one, path)) && !made.some((one) => match(one, path));
}

export const writtenIn = ({ tasks }: Plan): readonly string[] =>
  tasks.flatMap(({ outputs, description }) => [...outputs, ...(description.writes ?? [])]);

const recordings = ({ project, context }: OfStudy): readonly string[] =>
  context.flag('record') ? [project.resolved.config.cassettes ?? 'cassettes'] : [];
