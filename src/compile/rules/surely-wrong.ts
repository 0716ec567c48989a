import type { DiagnosticCode } from '../../model/catalogue/catalogue.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { type Pointer, pointerPath } from '../../model/pointer.js';

/** Something that was taken out of a config, because it is wrong by itself. */
interface Gap {
  readonly pointer: Pointer;
  readonly value: unknown;
}

/**
 * Which mistakes in the rest of a config are mistakes whatever belongs into its gaps. Those that a gap may have caused are
 * left for later: a complaint that goes away by itself is worse than one that comes a moment later.
 */
export function surelyWrong(diagnostics: readonly Diagnostic[], gaps: readonly Gap[]): readonly Diagnostic[] {
  const paths = gaps.map(({ pointer }) => pointerPath(pointer));
  const text = JSON.stringify(gaps.map(({ pointer, value }) => [pointer, value]));
  const isGap = (...place: readonly (string | undefined)[]): boolean =>
    paths.some((path) => path.every((part, index) => index >= place.length || part === place[index]));
  const lacksEntry = (map: string): boolean => paths.some((path) => path.length <= 2 && path[0] === map);
  return diagnostics.filter(({ code, at, message }) => {
    if (at?.kind !== 'config') return false;
    const [map = '', name = ''] = pointerPath(at.pointer);
    const mayFollow = causes[code];
    const stage = map === 'stages' ? name : undefined;
    return mayFollow !== undefined && !mayFollow({ stage, name, message, isGap, lacksEntry, text });
  });
}

interface Case {
  readonly stage: string | undefined;
  /** Of what is complained about: the second part of its place. */
  readonly name: string;
  readonly message: string;
  /** Whether something is gone at this place, around it or inside of it. */
  isGap(...place: readonly (string | undefined)[]): boolean;
  /** Whether an entry of a map at the top is gone as a whole. */
  lacksEntry(map: string): boolean;
  /** All that is gone. */
  readonly text: string;
}

const never = (): boolean => false;
/** The name that is unknown may be one that is gone. */
const ofNames = ({ isGap, stage, message }: Case): boolean => {
  const axis = /"matrix\.(\w+)/.exec(message)?.[1];
  if (axis !== undefined) return isGap('stages', stage, 'matrix', axis);
  return isGap('vars', /"vars\.(\w+)/.exec(message)?.[1] ?? 'whatever it is');
};
const ofUse = ({ text, name }: Case): boolean => new RegExp(`\\b${name}\\b`).test(text);

/** Whether a gap can be the cause. A code that is not here is not told of while there are gaps. */
const causes: Partial<Record<DiagnosticCode, (one: Case) => boolean>> = {
  AR201: never,
  AR202: never,
  AR203: never,
  AR204: never,
  AR205: ({ isGap, stage }) => isGap('stages', stage),
  AR206: never,
  AR208: never,
  AR301: ({ lacksEntry }) => lacksEntry('stages'),
  AR302: never,
  AR303: ({ lacksEntry }) => lacksEntry('agents'),
  AR304: ({ lacksEntry }) => lacksEntry('clusters'),
  AR305: never,
  AR307: ofUse,
  AR314: ofUse,
  AR401: never,
  AR402: ofNames,
  AR403: never,
  AR404: never,
  AR405: ofNames,
  AR406: never,
  AR407: never,
  AR501: never,
  AR502: ({ isGap, stage }) => isGap('stages', stage, 'matrix'),
  AR503: never,
  AR504: never,
};
