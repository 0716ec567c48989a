import { ToolRefusal } from './call-end.js';
import type { CallWatch } from './call-watch.js';
import type { ConfinedFiles } from './confined-files.js';
import { type Walked, walkFiles } from './file-walk.js';
import { findLines, type LineFound, mostFound, type RegexSearch, type SearchedFile } from './regex-search.js';
import { cutText, optionalFlag, optionalText, parameters, type Tool, textOf, textType } from './tool.js';

const folder = textType('The folder or file to look in, relative to the folder you work in; all of it unless stated.');
const ending = textType('Only paths that end like this, such as ".py".');

export const listFilesTool = (files: ConfinedFiles, watch: CallWatch): Tool => ({
  name: 'list_files',
  description: 'Lists all files below a folder. Folders named .git, .autoresearch and node_modules are passed over.',
  parameters: parameters({ path: folder, ending }, []),
  about: ({ path }) => String(path ?? '.'),
  run: async (args) => {
    const walked = await walkFiles(files, optionalText(args, 'path', '.'), watch.signal);
    watch.check();
    const wanted = [...walked.files, ...walked.others].filter((path) =>
      path.endsWith(optionalText(args, 'ending', '')),
    );
    const notes = [
      ...(wanted.length > mostListed ? [`[cut: ${mostListed} of ${wanted.length} shown]`] : []),
      ...(walked.cut ? ['[cut: there is more than could be looked at; name a folder]'] : []),
    ];
    return [wanted.length === 0 ? '[no files]' : cutText(wanted.slice(0, mostListed).join('\n')), ...notes].join('\n');
  },
});

export const searchCodeTool = (
  files: ConfinedFiles,
  { watch, regexSearch }: { readonly watch: CallWatch; readonly regexSearch: RegexSearch },
): Tool => ({
  name: 'search_code',
  description:
    'Finds lines that hold a text, or that match a regular expression (of JavaScript), with file and line number.',
  parameters: parameters(
    {
      pattern: textType('What to find.'),
      regex: { type: 'boolean', description: 'Whether the pattern is a regular expression.' },
      path: folder,
      ending,
    },
    ['pattern'],
  ),
  about: ({ pattern }) => String(pattern ?? ''),
  run: async (args) => {
    const pattern = textOf(args, 'pattern');
    if (pattern === '' || pattern.length > mostPattern)
      throw new ToolRefusal(`"pattern" has to have 1 to ${mostPattern} characters`);
    const regex = optionalFlag(args, 'regex');
    const walked = await below(files, optionalText(args, 'path', '.'), watch);
    const { texts, left } = readAll(
      files,
      walked.files.filter((path) => path.endsWith(optionalText(args, 'ending', ''))),
    );
    const found = regex
      ? await regexSearch(pattern, texts, watch.signal)
      : findLines(texts, (line) => line.includes(pattern));
    watch.check();
    return inWords(found, left + (walked.cut ? 1 : 0) > 0);
  },
});

const mostListed = 1000;
const mostPattern = 500;
const mostFileBytes = 1 << 20;
const mostTotalBytes = 24 << 20;

async function below(files: ConfinedFiles, path: string, watch: CallWatch): Promise<Walked> {
  const isFile = path !== '.' && files.stat(path).isFile();
  return isFile ? { files: [path], others: [], cut: false } : walkFiles(files, path, watch.signal);
}

/** What is large or no text is left out, and that is said. */
function readAll(files: ConfinedFiles, paths: readonly string[]): { texts: SearchedFile[]; left: number } {
  const texts: SearchedFile[] = [];
  let total = 0;
  let left = 0;
  for (const path of paths) {
    const text = total < mostTotalBytes ? textIn(files, path) : undefined;
    if (text === undefined) left += 1;
    else texts.push({ path, text });
    total += text?.length ?? 0;
  }
  return { texts, left };
}

function textIn(files: ConfinedFiles, path: string): string | undefined {
  try {
    const { bytes, size } = files.read(path, mostFileBytes);
    return size > bytes.length || bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}

function inWords(found: readonly LineFound[], leftOut: boolean): string {
  const lines = found.map(({ path, line, text }) => `${path}:${line}: ${cutText(text, 300)}`);
  const notes = [
    ...(found.length >= mostFound ? [`[cut: the first ${mostFound} lines; be more exact]`] : []),
    ...(leftOut ? ['[some files were left out because they are large or no text]'] : []),
  ];
  return [lines.length === 0 ? '[nothing found]' : cutText(lines.join('\n')), ...notes].join('\n');
}
