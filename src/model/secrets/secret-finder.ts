import { literal } from '../variable-globs.js';

/** Replaces values in a text; the longest of those that begin at the same place. */
export interface SecretFinder {
  /** Of the longest that it can find. */
  readonly longest: number;
  replace(text: string): string;
  /** Only what begins before `sure`: what begins later may go on after the end of this text, and stays in `rest`. */
  replaceUpTo(text: string, sure: number): { readonly done: string; readonly rest: string; readonly changed: boolean };
  /** Where the first thing begins that may go on after the end of this text; its length when there is none. */
  unsureFrom(text: string): number;
  /** What stands for a value of which this is no more than the front; undefined when it is the front of none. */
  markOfFront(text: string): string | undefined;
}

/**
 * `marks` says what stands for each form, all of which have at least `headLength` letters. A mark that is met is left as it
 * is, because the name in it may look like another's value.
 *
 * A regular expression finds the heads only: one of whole keys, each in a dozen forms, can grow too large to be compiled.
 */
export function secretFinder(marks: ReadonlyMap<string, string>): SecretFinder {
  const all = new Map([...marks, ...[...marks.values()].map((mark) => [mark, mark] as const)]);
  const longestFirst = [...all.keys()].sort((a, b) => b.length - a.length);
  const byHead = new Map<string, string[]>();
  for (const form of longestFirst) {
    const head = form.slice(0, headLength);
    byHead.set(head, [...(byHead.get(head) ?? []), form]);
  }
  const longest = longestFirst[0]?.length ?? 0;
  // Asked at the end of every piece of a text, so it is known ahead.
  const fronts = new Set([...byHead.keys()].flatMap((head) => lengths.map((length) => head.slice(0, length))));
  const heads = new RegExp([...byHead.keys()].map(literal).join('|'), 'g');

  const replaceUpTo: SecretFinder['replaceUpTo'] = (text, sure) => {
    let done = '';
    let at = 0;
    let changed = false;
    heads.lastIndex = 0;
    for (let head = heads.exec(text); head !== null && head.index < sure; head = heads.exec(text)) {
      const { index } = head;
      const form = byHead.get(head[0])!.find((one) => text.startsWith(one, index));
      heads.lastIndex = index + (form?.length ?? 1);
      if (form === undefined) continue;
      const mark = all.get(form)!;
      done += text.slice(at, index) + mark;
      changed ||= mark !== form;
      at = heads.lastIndex;
    }
    const until = Math.max(at, sure);
    return { done: done + text.slice(at, until), rest: text.slice(until), changed };
  };
  const unsureFrom = (text: string): number => {
    heads.lastIndex = Math.max(0, text.length - longest + 1);
    for (let head = heads.exec(text); head !== null; head = heads.exec(text)) {
      const front = text.slice(head.index);
      if (byHead.get(head[0])!.some((form) => form.length > front.length && form.startsWith(front))) return head.index;
      heads.lastIndex = head.index + 1;
    }
    for (let at = Math.max(0, text.length - headLength + 1); at < text.length; at += 1) {
      if (fronts.has(text.slice(at))) return at;
    }
    return text.length;
  };
  const markOfFront = (text: string): string | undefined => {
    // Of what is hidden for the sake of the name before it, the front is no more than a part of that name.
    const isFront = (one: string): boolean => one.length > text.length && one.startsWith(text);
    const form = longestFirst.find((one) => isFront(one) && marks.get(one)?.startsWith('[secret '));
    return form === undefined ? undefined : marks.get(form);
  };
  const replace = (text: string): string => {
    const { done, changed } = replaceUpTo(text, text.length);
    return changed ? done : text;
  };
  return { longest, replace, replaceUpTo, unsureFrom, markOfFront };
}

export const headLength = 6;
const lengths = [1, 2, 3, 4, 5];
