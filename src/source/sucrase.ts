/**
 * The door of the `sucrase` package: TypeScript and ES modules in, CommonJS out, line for line. It checks no types and
 * needs no `typescript`. Everything after `loadSucrase` is synchronous, because CommonJS is.
 */
export type Sucrase = typeof import('sucrase');

export const loadSucrase = (): Promise<Sucrase> => import('sucrase');

export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

export function toCommonJs(sucrase: Sucrase, { file, text }: SourceFile): string {
  const { code } = sucrase.transform(withoutImportMeta(sucrase, { file, text }), options(file));
  return code;
}

/** The map that belongs to what `toCommonJs` answers, made only when an error has to be placed. */
export function sourceMapOf(sucrase: Sucrase, { file, text }: SourceFile): object | undefined {
  return sucrase.transform(withoutImportMeta(sucrase, { file, text }), {
    ...options(file),
    filePath: file,
    sourceMapOptions: { compiledFilename: file },
  }).sourceMap;
}

/** Stands for `import.meta`, which CommonJS does not know. As long as the original, so that columns stay. */
export const importMetaName = 'import$meta';

export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The parser's name for its kind, such as `name`, `string` or `template`. */
  readonly label: string;
  /** Part of a type, which means nothing at run time. */
  readonly isType: boolean;
  /** A key of an object or of a class, written out. */
  readonly isKey: boolean;
  /** The same for the braces of an object literal and its keys. */
  readonly contextId?: number;
}

/**
 * The tokens of a file. The package offers them as a printed table only, with lines and columns that it looks up one by
 * one; U+2028 ends a line for JavaScript but not for that table, so columns become offsets and the lookup is instant.
 */
export function tokensOf(sucrase: Sucrase, { file, text }: SourceFile): Token[] {
  const oneLine = text.replace(/[\r\n]/g, '\u2028');
  const rows = sucrase.getFormattedTokens(oneLine, { transforms: options(file).transforms }).split('\n');
  const header = rows[0] ?? '';
  const [label, raw, isType, role, context] = columnsOf(header, [
    'Label',
    'Raw',
    'isType',
    'identifierRole',
    'contextId',
  ]);
  const tokens: Token[] = [];
  for (let index = 1; index < rows.length; index++) {
    const row = rows[index]!;
    const place = /^1:([0-9]+)-1:([0-9]+) /.exec(row);
    if (!place) continue;
    const start = Number(place[1]) - 1;
    const end = Number(place[2]) - 1;
    const contextId = Number.parseInt(row.slice(context), 10);
    tokens.push({
      text: text.slice(start, end),
      start,
      end,
      label: row.slice(label, raw).trimEnd(),
      isType: row.startsWith('isType', isType),
      isKey: keyRoles.has(Number.parseInt(row.slice(role), 10)),
      ...(contextId > 0 ? { contextId } : {}),
    });
  }
  return tokens;
}

/** How the parser numbers what names are there for: a key beside its value, and one that is its own value. */
const keyRoles = new Set([10, 8]);

const columnsOf = (header: string, names: readonly string[]): number[] => names.map((name) => header.indexOf(name));

export const isTypescript = (file: string): boolean => /\.[mc]?ts$/.test(file);

const options = (file: string): Parameters<Sucrase['transform']>[1] => ({
  transforms: isTypescript(file) ? ['typescript', 'imports'] : ['imports'],
  disableESTransforms: true,
});

function withoutImportMeta(sucrase: Sucrase, source: SourceFile): string {
  if (!/\bimport\s*\.\s*meta\b/.test(source.text)) return source.text;
  const tokens = tokensOf(sucrase, source);
  let text = source.text;
  for (let index = 2; index < tokens.length; index++) {
    const [first, dot, last] = [tokens[index - 2]!, tokens[index - 1]!, tokens[index]!];
    if (first.text !== 'import' || dot.text !== '.' || last.text !== 'meta') continue;
    const gap = last.end - first.start - importMetaName.length;
    text = `${text.slice(0, first.start)}${importMetaName}${' '.repeat(gap)}${text.slice(last.end)}`;
  }
  return text;
}
