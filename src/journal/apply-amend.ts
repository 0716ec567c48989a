import type { AmendedOutput, OutputsAmended } from '../model/events/amend-event.js';
import type { TaskState } from '../model/state/run-state.js';

interface Book {
  readonly tasks: Map<string, TaskState>;
  reopened?: { readonly [task: string]: number };
}

/** How often others had to be done again because of what was mended for a task is bounded, so it is counted. */
export function applyAmend(open: Book, { task, by, amended, again }: OutputsAmended): void {
  for (const { task: maker, outputs } of amended)
    amend(
      open,
      maker,
      outputs.map((output) => ({ ...output, by })),
    );
  if (again) open.reopened = { ...open.reopened, [task]: (open.reopened?.[task] ?? 0) + 1 };
}

/** Whose output a changed file is stands as it was, with the file as it is now. */
export function amend({ tasks }: Book, maker: string, outputs: readonly AmendedOutput[]): void {
  const made = tasks.get(maker);
  if (!made) return;
  const others = (made.amended ?? []).filter(({ path }) => outputs.every((output) => output.path !== path));
  tasks.set(maker, { ...made, amended: [...others, ...outputs] });
}
