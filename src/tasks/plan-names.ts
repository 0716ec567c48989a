import type { PlanNames, Task } from './task-list.js';

/** What a plan is called by its file: `01-02-PLAN.md` → `01-02`, and so is `01-02-loader-PLAN.md`. */
export function planIdOf(file: string): string | undefined {
  const stem = /^(.*?)-?PLAN\.md$/i.exec(baseName(file))?.[1];
  return stem ? (/^(\d[\w.]*-\d+[A-Za-z]?)(?=-|$)/.exec(stem)?.[1] ?? stem) : undefined;
}

/** The name of the file without the ending that tells what it is. */
export const planStemOf = (file: string): string => baseName(file).replace(/-?(PLAN)?(\.md)?$/i, '');

export function planNames(
  id: string,
  {
    file,
    phase,
    plan,
  }: { readonly file: string; readonly phase: string | undefined; readonly plan: string | undefined },
): PlanNames {
  const full = new Set([id, planStemOf(file)].filter((name) => name !== ''));
  if (plan !== undefined && phase !== undefined) {
    full.add(`${phase}-${plan}`);
    full.add(`${phaseNumber(phase)}-${plan}`);
  }
  return { phase, plan, full: [...full] };
}

/** `03-loader` → `03`. */
export const phaseNumber = (phase: string): string => /^\d+(\.\d+)*[A-Za-z]?(?=-|$)/.exec(phase)?.[0] ?? phase;

/** Finds tasks by any of the names that people use for them. */
export class TaskNames {
  readonly #ids = new Set<string>();
  /** `null` stands for two tasks that could be meant. */
  readonly #full = new Map<string, string | null>();
  readonly #inPhase = new Map<string, string | null>();

  constructor(tasks: readonly Task[]) {
    for (const { id, written } of tasks) {
      this.#ids.add(id);
      if (!written.names) continue;
      const { phase, plan, full } = written.names;
      for (const name of new Set(full.map(loose))) note(this.#full, name, id);
      if (plan !== undefined) note(this.#inPhase, inPhase(phase, plan), id);
    }
  }

  /** The id that a text stands for, seen from a task; undefined when there is none, or more than one. */
  find(text: string, from: Task): string | undefined {
    if (this.#ids.has(text)) return text;
    const name = text.replace(/^.*\//, '').replace(/-?PLAN(\.md)?$/i, '');
    const full = this.#full.get(loose(name));
    if (full !== undefined) return full ?? undefined;
    return from.written.names ? (this.#inPhase.get(inPhase(from.written.names.phase, name)) ?? undefined) : undefined;
  }

  get ids(): readonly string[] {
    return [...this.#ids];
  }
}

function note(names: Map<string, string | null>, name: string, id: string): void {
  const known = names.get(name);
  names.set(name, known === undefined || known === id ? id : null);
}

const inPhase = (phase: string | undefined, plan: string): string => `${loose(phase ?? '')}\n${loose(plan)}`;

/** `01-02` and `1-2` are one plan. */
export const loose = (name: string): string => name.toLowerCase().replace(/(?<![\d.])0+(?=\d)/g, '');

const baseName = (file: string): string => file.replace(/^.*[/\\]/s, '');
