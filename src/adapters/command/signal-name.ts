import { constants } from 'node:os';

/** 9 → `SIGKILL`; undefined when the system has no such signal. */
export function signalName(number: number): string | undefined {
  names ??= new Map(Object.entries(constants.signals).map(([name, value]) => [value, preferred[name] ?? name]));
  return names.get(number);
}

let names: Map<number, string> | undefined;

/** Old second names that would otherwise win, because they come later in the table. */
const preferred: { readonly [name: string]: string } = { SIGIOT: 'SIGABRT', SIGPOLL: 'SIGIO', SIGUNUSED: 'SIGSYS' };
