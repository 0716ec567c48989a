import { hash } from 'node:crypto';
import type { Config } from '../../model/generated/config.js';
import { canonicalJson } from '../../model/json.js';

/** What a run goes by besides its plan, as digests: enough to say which of it was edited before the run went on. */
export function settingsOf({
  agents,
  budget,
  prices,
  escalate,
  notify,
  autonomous,
  stages,
}: Config): Record<string, string> {
  const own = Object.entries(stages).flatMap(([name, stage]) => (stage.budget ? [[name, stage.budget] as const] : []));
  const all = {
    agents,
    budget,
    prices,
    escalate,
    notify,
    autonomous,
    'budgets of stages': own.length > 0 ? own : undefined,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, hash('sha256', canonicalJson(value)).slice(0, 16)]],
    ),
  );
}

export function settingChanges(
  then: { readonly [key: string]: string },
  now: { readonly [key: string]: string },
): string[] {
  const keys = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  return keys.filter((key) => then[key] !== now[key]).sort();
}
