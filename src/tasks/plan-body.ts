import { outsideFences } from './fences.js';
import type { Piece } from './frontmatter.js';

export interface Block extends Piece {
  readonly attributes: string;
  readonly isClosed: boolean;
  /** Where the tag itself begins. */
  readonly tagStart: number;
}

/** `<task …> … </task>`, wherever a line begins with one outside of a fence. An open one ends where the next begins. */
export function taskBlocks(body: Piece, tag: 'task' | 'feature'): readonly Block[] {
  const { text, start } = body;
  const starts = outsideFences(text, openTags(text, tag));
  const closes = outsideFences(text, [...text.matchAll(new RegExp(`</${tag}>`, 'g'))]);
  let which = 0;
  return starts.map((match, index): Block => {
    const from = match.index + match[0].length;
    while (which < closes.length && closes[which]!.index < from) which += 1;
    const next = starts[index + 1]?.index ?? text.length;
    const close = closes[which]?.index ?? text.length;
    const tagStart = start + match.index + match[0].indexOf('<');
    const inner = text.slice(from, Math.min(close, next));
    return { text: inner, start: start + from, attributes: match[1] ?? '', isClosed: close < next, tagStart };
  });
}

/** Where `<task>` stands in a fence: an example, or a fence that somebody forgot to close. */
export function fencedTasks({ text, start }: Piece): readonly number[] {
  const all = openTags(text, 'task');
  const outside = new Set(outsideFences(text, all));
  return all.filter((match) => !outside.has(match)).map((match) => start + match.index + match[0].indexOf('<'));
}

const openTags = (text: string, tag: string) => [...text.matchAll(new RegExp(`^[ \\t]*<${tag}(\\s[^<>]*)?>`, 'gm'))];

/** Each `<tag>…</tag>` of a piece, one after the other, not those inside of them. */
export function fieldsOf({ text, start }: Piece): readonly (Piece & { readonly tag: string })[] {
  const fields: (Piece & { readonly tag: string })[] = [];
  const open = /<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>/g;
  for (let match = open.exec(text); match; match = open.exec(text)) {
    const tag = match[1]!;
    const from = match.index + match[0].length;
    const close = text.indexOf(`</${tag}>`, from);
    const end = close < 0 ? text.length : close;
    fields.push({ tag: tag.toLowerCase().replaceAll('-', '_'), text: text.slice(from, end), start: start + from });
    open.lastIndex = close < 0 ? text.length : close + tag.length + 3;
  }
  return fields;
}

/** The text of a top-level section, written as `<objective>` or as a heading `## Objective`. */
export function sectionOf({ text }: Piece, name: string): string | undefined {
  const tagged = new RegExp(`^<${name}>`, 'im').exec(text);
  if (tagged) {
    const from = tagged.index + tagged[0].length;
    const close = text.toLowerCase().indexOf(`</${name}>`, from);
    return text.slice(from, close < 0 ? undefined : close).trim() || undefined;
  }
  const heading = new RegExp(`^##?[ \\t]+${name}[ \\t]*\\r?$`, 'im').exec(text);
  if (!heading) return undefined;
  const rest = text.slice(heading.index + heading[0].length);
  return rest.slice(0, /^##?[ \t]/m.exec(rest)?.index).trim() || undefined;
}

/** Steps as headings (`### Task 1: …`), or as the numbered items below a heading `Tasks`; each up to the next. */
export function listedSteps(body: Piece): readonly (Piece & { readonly name: string })[] {
  const headings = /^#{2,4}[ \t]+(?:task|step)[ \t]+\d+\S*[ \t]*(.*)$/gim;
  const byHeading = pieces(body, headings, /^##?[ \t]/m);
  if (byHeading.length > 0) return byHeading;
  const section = /^##?[ \t]+(?:tasks|steps)[ \t]*\r?$/im.exec(body.text);
  if (!section) return [];
  const from = section.index + section[0].length;
  const rest = body.text.slice(from);
  const end = /^##?[ \t]/m.exec(rest)?.index ?? rest.length;
  return pieces({ text: rest.slice(0, end), start: body.start + from }, /^(?:\d+[.)]|[-*])[ \t]+(.*)$/gm, /^##?[ \t]/m);
}

function pieces({ text, start }: Piece, each: RegExp, stop: RegExp): readonly (Piece & { readonly name: string })[] {
  const found = outsideFences(text, [...text.matchAll(each)]);
  return found.map((match, which) => {
    const from = match.index + match[0].length;
    const all = text.slice(from, found[which + 1]?.index);
    const name = match[1]!
      .replace(/[*`]/g, '')
      .replace(/^\[.?\][ \t]*|^[:.—–-][ \t]*/, '')
      .trim();
    return { name: name || match[0].trim(), text: all.slice(0, stop.exec(all)?.index), start: start + match.index };
  });
}
