import type { Action } from '../../model/plan.js';

/** Fill and border by what would happen; dark text is readable on each fill. */
export const graphColours: Readonly<Record<Action, { readonly fill: string; readonly line: string }>> = {
  run: { fill: '#dbeafe', line: '#1d4ed8' },
  cached: { fill: '#dcfce7', line: '#15803d' },
  skip: { fill: '#f3f4f6', line: '#6b7280' },
};
