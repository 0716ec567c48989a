import { err, ok, type Result } from '../model/result.js';
import { settleTasks } from './join-tasks.js';
import { readPlan } from './plan-file.js';
import { ProblemList } from './problem-list.js';
import { isError, type Problem, type TaskList } from './task-list.js';
import { readTasksYaml } from './tasks-yaml.js';

/**
 * Reads one file: a name that ends in `.md` is a plan, anything else is YAML (or JSON, which YAML holds). What a plan
 * depends on is in other files, so only `joinTasks` can look at that.
 */
export async function readTasks(
  text: string,
  { file }: { readonly file: string },
): Promise<Result<TaskList, readonly Problem[]>> {
  const problems = new ProblemList(file, text);
  const isPlan = /\.md$/i.test(file);
  const read = await (isPlan ? readPlan(problems) : readTasksYaml(problems));
  const settled = isPlan ? { tasks: read, problems: [] } : await settleTasks(read, new Set());
  const all = [...problems.all(), ...settled.problems].sort((a, b) => a.line - b.line || a.column - b.column);
  if (all.some(isError)) return err(all);
  return ok({ form: isPlan ? 'plan' : 'tasks', tasks: settled.tasks, warnings: all });
}
