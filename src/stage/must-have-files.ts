import type { ArtifactWish, KeyLink } from '../model/agents/must-haves.js';
import type { StageContext } from '../model/stage.js';
import { type Finding, gap, holds } from './finding.js';
import { isStub, linesOf } from './substance.js';

/** A file is there, holds something, is no stub, and has in it what was asked for. */
export async function checkArtifact(wish: ArtifactWish, context: StageContext): Promise<Finding> {
  const { path, provides } = wish;
  const what = provides === undefined ? path : `${path} (${provides})`;
  const files = context.listFiles([path]);
  if (files.length === 0) return gap('artifact', what, 'is not there');
  const texts: string[] = [];
  for (const file of files) {
    const size = context.fileFacts(file)?.sizeBytes ?? 0;
    if (size === 0) return gap('artifact', what, `${file} is empty`);
    if (wish.minBytes !== undefined && size < wish.minBytes)
      return gap('artifact', what, `${file} has ${size} bytes, and ${wish.minBytes} are asked for`);
    const isRead = size <= mostRead;
    if (!isRead && (wish.contains.length > 0 || wish.exports.length > 0 || wish.minLines !== undefined))
      return gap('artifact', what, `${file} is too large to look into (${size} bytes)`);
    const text = isRead ? await context.readFile(file) : '';
    if (isRead && text.trim() === '') return gap('artifact', what, `${file} holds nothing but blanks`);
    if (isRead && isStub(text)) return gap('artifact', what, `${file} is a stub: nothing in it does anything`);
    texts.push(text);
  }
  const missing = missingIn(texts, wish);
  if (missing !== undefined) return gap('artifact', what, missing);
  return holds(
    'artifact',
    what,
    files.length === 1 ? `${context.fileFacts(files[0]!)?.sizeBytes} bytes` : `${files.length} files`,
  );
}

/** More than this is data, which has substance by its size. */
const mostRead = 4 << 20;

function missingIn(texts: readonly string[], { contains, exports, minLines }: ArtifactWish): string | undefined {
  const all = texts.join('\n');
  const text = contains.find((wanted) => !all.includes(wanted));
  if (text !== undefined) return `does not contain ${JSON.stringify(text)}`;
  const name = exports.find((wanted) => !defines(all, wanted));
  if (name !== undefined) return `does not define ${name}`;
  const lines = linesOf(all);
  if (minLines !== undefined && lines < minLines) return `has ${lines} lines, and ${minLines} are asked for`;
  return undefined;
}

/** The name stands on a line that defines or exports something. That it is only mentioned is not enough. */
const defines = (text: string, name: string): boolean =>
  text.split('\n').some((line) => {
    const at = line.indexOf(name);
    if (at < 0 || /[\w$]/.test(line[at - 1] ?? '') || /[\w$]/.test(line[at + name.length] ?? '')) return false;
    if (/^\s*(?:#|\/\/|\*)/.test(line)) return false;
    const before = line.slice(0, at);
    const after = line.slice(at + name.length);
    return (
      /\b(?:export|exports|def|class|function|const|let|var|fn|func|type|interface|struct|enum|__all__)\b/.test(
        before,
      ) || /^\s*(?::[^=]*)?=(?!=)/.test(after)
    );
  });

/** The one refers to the other, and both are there. */
export async function checkLink({ from, to, via, pattern }: KeyLink, context: StageContext): Promise<Finding> {
  const what = `${from} → ${to}${via === undefined ? '' : ` (${via})`}`;
  const files = context.listFiles([from]);
  if (files.length === 0) return gap('link', what, `${from} is not there`);
  if (isPath(to) && context.listFiles([to]).length === 0) return gap('link', what, `${to} is not there`);
  for (const file of files) {
    if ((context.fileFacts(file)?.sizeBytes ?? 0) > mostRead) continue;
    const text = await context.readFile(file);
    const found = pattern === undefined ? undefined : context.finds(pattern, text);
    if (found && !found.ok) return gap('link', what, found.why);
    if (found ? found.value : text.includes(nameOf(to)))
      return holds('link', what, `${file} has ${pattern === undefined ? nameOf(to) : pattern}`);
  }
  return gap(
    'link',
    what,
    `${pattern === undefined ? JSON.stringify(nameOf(to)) : `/${pattern}/`} is not found in ${from}`,
  );
}

/** The files that a link is about. */
export const filesOf = ({ from, to }: KeyLink): string[] => (isPath(to) ? [from, to] : [from]);

const isPath = (text: string): boolean => !/\s/.test(text) && /[/]|\.\w+$/.test(text) && !/^\/?api\//.test(text);

/** `src/models/net.py` is referred to as `net`. */
const nameOf = (to: string): string => (isPath(to) ? to.replace(/^.*\//, '').replace(/\.\w+$/, '') : to);
