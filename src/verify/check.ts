import type { Check, CheckKind } from '../model/gates/check.js';

export const passed = (kind: CheckKind, name: string, detail: string): Check => ({
  id: name === '' ? kind : `${kind}:${name}`,
  kind,
  status: 'passed',
  detail,
});

export const failed = (kind: CheckKind, name: string, detail: string): Check => ({
  ...passed(kind, name, detail),
  status: 'failed',
});

export const tampered = (kind: CheckKind, name: string, detail: string): Check => ({
  ...failed(kind, name, detail),
  isTampered: true,
});

/** The first few, and how many more. */
export function some(items: readonly string[], most = 5): string {
  const more = items.length - most;
  return [...items.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
