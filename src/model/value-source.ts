/** Where values are to be found: a file, by its path or in more words, or a command that prints them as JSON. */
export type ValueSource = string | FileSource | CommandSource;

export interface FileSource {
  readonly file: string;
  readonly format?: ValueFormat;
  readonly call?: string;
  readonly at?: string;
}

export interface CommandSource {
  readonly run: string;
  readonly at?: string;
}

export type ValueFormat = 'python' | 'json' | 'yaml' | 'toml' | 'env' | 'argv';

/** With nothing left to guess. */
export type KnownSource =
  | ({ readonly kind: 'file' } & FileSource & { readonly format: ValueFormat })
  | ({ readonly kind: 'command' } & CommandSource);

const text = { type: 'string', minLength: 1 } as const;
const at = { ...text, description: 'The dotted path of the part that holds the values.' } as const;

/** JSON Schema of a source, for the options of behaviours. */
export const valueSourceSchema = {
  anyOf: [
    text,
    {
      type: 'object',
      additionalProperties: false,
      required: ['file'],
      properties: {
        file: { ...text, description: 'The file.' },
        format: {
          type: 'string',
          enum: ['python', 'json', 'yaml', 'toml', 'env', 'argv'],
          description: 'What the file is, where its ending does not say so.',
        },
        call: {
          ...text,
          description: 'Python: a function without parameters that returns the values, or prints them as JSON.',
        },
        at,
      },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['run'],
      properties: {
        run: {
          type: 'string',
          format: 'shell',
          pattern: '\\S',
          description: 'A command that prints the values as JSON.',
        },
        at,
      },
    },
  ],
} as const;

/** A text says what is wrong with how the source is written. */
export function knownSource(source: ValueSource): KnownSource | string {
  if (typeof source !== 'string' && 'run' in source) return { kind: 'command', ...source };
  const written: FileSource = typeof source === 'string' ? { file: source } : source;
  const { file, call, format = formatOf(file) } = written;
  if (format === undefined) return `the ending of ${file} does not say what it is: state format`;
  if (call !== undefined && format !== 'python') return `call is for Python files, and ${file} is none`;
  return { kind: 'file', ...written, format };
}

/** What reading it takes, for the description of a behaviour: files, and commands as a person would type them. */
export function sourceNeeds(source: ValueSource, python = 'python3'): SourceNeeds {
  const known = knownSource(source);
  if (typeof known === 'string') return { reads: [], commands: [], isCode: false };
  if (known.kind === 'command') return { reads: [], commands: [known.run], isCode: true };
  const commands = isForPython(known) ? [`${python} ${known.file}`] : [];
  return { reads: [known.file], commands, isCode: known.format === 'python' };
}

export interface SourceNeeds {
  readonly reads: readonly string[];
  readonly commands: readonly string[];
  /** It may say something else although the file is the same. */
  readonly isCode: boolean;
}

export const isForPython = ({ format }: { readonly format: ValueFormat }): boolean =>
  format === 'python' || format === 'toml';

function formatOf(file: string): ValueFormat | undefined {
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (/^\.env(\.|$)/.test(name)) return 'env';
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

const endings: { readonly [ending: string]: ValueFormat } = {
  py: 'python',
  json: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  toml: 'toml',
  env: 'env',
};
