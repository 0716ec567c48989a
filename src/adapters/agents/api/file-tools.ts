import { ToolRefusal } from './call-end.js';
import { type ConfinedFiles, kindOf } from './confined-files.js';
import { countType, mostResultCharacters, optionalCount, parameters, type Tool, textOf, textType } from './tool.js';

const path = textType('Relative to the folder you work in.');
const aboutPath: Tool['about'] = ({ path }) => String(path ?? '');

/** Files are looked at up to here, and none is written that is larger. */
const mostBytes = 4 << 20;

export const readFileTool = (files: ConfinedFiles): Tool => ({
  name: 'read_file',
  description: 'Gives the text of a file. For long files say from which line on and how many lines.',
  parameters: parameters(
    { path, from: countType('The first line, 1 unless stated.'), lines: countType('How many lines.') },
    ['path'],
  ),
  about: aboutPath,
  run: (args) => {
    const { bytes, size } = files.read(textOf(args, 'path'), mostBytes);
    if (bytes.includes(0)) return `[a binary file of ${size} bytes]`;
    const from = optionalCount(args, 'from', 1);
    const all = bytes.toString('utf8').split('\n');
    const wanted = all.slice(from - 1, from - 1 + optionalCount(args, 'lines', all.length));
    const shown = firstLines(wanted);
    const notes: string[] = [];
    if (shown.lines < wanted.length)
      notes.push(`[cut: lines ${from} to ${from + shown.lines - 1} of ${all.length}; ask for the rest with "from"]`);
    if (shown.cutLine) notes.push('[cut: this line is longer than can be shown]');
    if (size > bytes.length)
      notes.push(`[cut: the file has ${size} bytes, only the first ${bytes.length} were looked at]`);
    return [shown.text, ...notes].join('\n');
  },
});

/** Leaves room for the notes about what was cut. */
const mostShown = mostResultCharacters - 500;

/** As many whole lines as fit; at least the beginning of one. */
function firstLines(lines: readonly string[]): { text: string; lines: number; cutLine: boolean } {
  let length = 0;
  let count = 0;
  while (count < lines.length && length + lines[count]!.length < mostShown) {
    length += lines[count]!.length + 1;
    count += 1;
  }
  if (count > 0 || lines.length === 0) return { text: lines.slice(0, count).join('\n'), lines: count, cutLine: false };
  return { text: lines[0]!.slice(0, mostShown), lines: 1, cutLine: true };
}

export const writeFileTool = (files: ConfinedFiles): Tool => ({
  name: 'write_file',
  description: 'Writes a whole file, and the folders it needs. What was in it is gone.',
  parameters: parameters({ path, content: textType('The whole content.') }, ['path', 'content']),
  about: aboutPath,
  run: (args) => {
    const [file, content] = [textOf(args, 'path'), textOf(args, 'content')];
    refuseLarge(content);
    files.write(file, content);
    return `written: ${Buffer.byteLength(content)} bytes`;
  },
});

export const editFileTool = (files: ConfinedFiles): Tool => ({
  name: 'edit_file',
  description: 'Replaces one piece of text in a file. The old text has to be there exactly once, to the letter.',
  parameters: parameters({ path, old: textType('The text as it is.'), new: textType('The text as it shall be.') }, [
    'path',
    'old',
    'new',
  ]),
  about: aboutPath,
  run: (args) => {
    const [file, old, wanted] = [textOf(args, 'path'), textOf(args, 'old'), textOf(args, 'new')];
    if (old === '') throw new ToolRefusal('"old" is empty');
    const before = wholeText(files, file);
    const at = before.indexOf(old);
    if (at < 0) throw new ToolRefusal('"old" is not in the file; read it again and copy the text exactly');
    if (before.indexOf(old, at + 1) >= 0)
      throw new ToolRefusal('"old" is in the file more than once; take more of the text around it');
    const after = `${before.slice(0, at)}${wanted}${before.slice(at + old.length)}`;
    refuseLarge(after);
    files.write(file, after);
    return 'replaced';
  },
});

export const fileInfoTool = (files: ConfinedFiles): Tool => ({
  name: 'get_file_info',
  description: 'Tells what a path is, how large and when it was changed.',
  parameters: parameters({ path }, ['path']),
  about: aboutPath,
  run: (args) => {
    const stat = files.stat(textOf(args, 'path'));
    return `${kindOf(stat)}, ${stat.size} bytes, changed ${stat.mtime.toISOString()}`;
  },
});

function refuseLarge(content: string): void {
  if (Buffer.byteLength(content) > mostBytes) throw new ToolRefusal(`a file may have ${mostBytes} bytes at most`);
}

/** All of a file, to the letter: what was decoded with losses would be written back with them. */
function wholeText(files: ConfinedFiles, file: string): string {
  const { bytes, size } = files.read(file, mostBytes);
  if (size > bytes.length) throw new ToolRefusal(`the file has ${size} bytes, too many to edit`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolRefusal('the file is not UTF-8 text');
  }
}
