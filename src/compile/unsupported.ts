import type { Diagnostic } from '../model/diagnostic.js';
import type { Config, Stage } from '../model/generated/config.js';
import { pointerOf } from '../model/pointer.js';

/**
 * What a config can say and this version cannot enforce. `exec` refuses to run it: a guard that nobody keeps is worse than
 * none. The lists shrink with every version.
 */
const configKeys = wordsOf<Config>({
  agents: 'agents',
  budget: 'budgets',
  protect: 'protected files',
  parity: 'parity checks',
  clusters: 'clusters',
  notify: 'notifications',
  prices: 'prices',
  sandbox: 'the sandbox',
  iterate: 'iteration',
  autonomous: 'autonomous mode',
  escalate: 'escalation',
  onViolation: 'violations',
});

const stageKeys = wordsOf<Stage>({
  agent: 'agents',
  isolation: 'worktrees',
  scope: 'file scopes',
  protect: 'protected files',
  mirror: 'mirrors',
  locks: 'locks',
  gate: 'gates',
  on: 'clusters',
  commit: 'commits',
});

export function unsupported(config: Config): Diagnostic[] {
  const found = declared(config, configKeys).map(([key, what]) => refusal([key], what));
  for (const [name, stage] of Object.entries(config.stages)) {
    for (const [key, what] of stageKeys) {
      if (stage[key] === undefined) continue;
      if (key === 'isolation' && stage.isolation === 'none') continue;
      found.push(refusal(['stages', name, key], what));
    }
    if (stage.retry?.fix !== undefined) found.push(refusal(['stages', name, 'retry', 'fix'], 'fixes by an agent'));
  }
  return found;
}

type Words<T> = readonly (readonly [key: keyof T & string, what: string])[];

function wordsOf<T>(words: Partial<Record<keyof T, string>>): Words<T> {
  return Object.entries(words) as [keyof T & string, string][];
}

const declared = <T>(value: T, words: Words<T>): Words<T> => words.filter(([key]) => value[key] !== undefined);

const refusal = (path: readonly string[], what: string): Diagnostic => ({
  code: 'AR701',
  message: `this version cannot enforce ${what}`,
  at: { kind: 'config', pointer: pointerOf(...path), key: true },
  hint: 'Take it out, or use a version that can',
});
