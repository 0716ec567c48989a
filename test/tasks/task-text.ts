import { expect } from 'vitest';
import { readTasks } from '../../src/tasks/read-tasks.js';
import type { Problem, TaskList } from '../../src/tasks/task-list.js';

export async function read(text: string, file = 'tasks.yaml'): Promise<TaskList> {
  const result = await readTasks(text, { file });
  if (!result.ok) throw new Error(lines(result.error).join('\n'));
  return result.value;
}

/** All problems of a text, one line for each: `2:5+3 error: message (hint)`. */
export async function problemsOf(text: string, file = 'tasks.yaml'): Promise<string[]> {
  const result = await readTasks(text, { file });
  const problems = result.ok ? result.value.warnings : result.error;
  expectInside(problems, text);
  expect(problems.some(({ severity }) => severity === 'error')).toBe(!result.ok);
  return lines(problems);
}

export const lines = (problems: readonly Problem[]): string[] =>
  problems.map(
    ({ line, column, length, severity, message, hint }) =>
      `${line}:${column}+${length} ${severity}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );

export function expectInside(problems: readonly Problem[], text: string): void {
  const all = text.split(/\r?\n/);
  for (const { line, column, length } of problems) {
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(all.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(length).toBeGreaterThanOrEqual(0);
    expect(column - 1 + length).toBeLessThanOrEqual(all[line - 1]!.length);
  }
}
