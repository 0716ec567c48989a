import { globsMayMeet } from '../model/glob.js';

/** No system has longer ones that matter here, and patterns take time with their length. */
export const longestPath = 1000;

export type TaskPath = { readonly path: string } | { readonly wrong: string };

/** A path or glob below the project folder, with `.` and `..` worked out; or what is wrong with it. */
export function taskPath(written: string): TaskPath {
  const text = written.trim();
  if (text === '') return { wrong: 'a path is empty' };
  if (text.length > longestPath) return { wrong: `a path is longer than ${longestPath} characters` };
  const quoted = JSON.stringify(text);
  if (/[\u0000-\u001f]/.test(text)) return { wrong: `${quoted} holds a control character` };
  const out = { wrong: `${quoted} leads out of the project` };
  if (/^([/\\~]|[A-Za-z]:)/.test(text)) return out;
  const parts: string[] = [];
  for (const part of text.split('/')) {
    if (part === '..') {
      const before = parts.pop();
      // `**` may stand for no folder at all, and then the parent is outside.
      if (before === undefined || before === '**' || /[{(](?![^{(]*[})])/.test(before)) return out;
    } else if (mayBeParent(part)) return out;
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return hidesParent(text) ? out : { path: parts.join('/') || '**' };
}

/** `..` as one choice of a group, or beside a backslash that some system takes for a slash. */
const hidesParent = (text: string): boolean => /[\\{,(|]\.\.(?=[\\},)|/]|$)|(?:^|\/)\.\.[\\},)|]/.test(text);

/** Groups can put `..` together out of single dots: `.{.,x}`. Only dots and nothing count; names cannot become `..`. */
function mayBeParent(part: string): boolean {
  if (!/[{([]/.test(part)) return false;
  const plain = part
    .replace(/\*+|\?(?!\()/g, 'x')
    .replace(/\[[^\]]*\]/g, (set) => (set.includes('.') ? '?' : 'x'))
    .replace(/[@!+x?]?\([^()]*\)|\{[^{}]*\}/g, (group) => {
      const dots = group
        .split(/[{}(),|]/)
        .slice(1, -1)
        .filter((choice) => /^\.*$/.test(choice));
      if (dots.length === 0) return 'x';
      return dots.some((choice) => choice !== '') ? '*' : '';
    });
  return /^[.*?]+$/.test(plain) && globsMayMeet(plain, '..');
}
