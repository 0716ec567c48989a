/** What can be done about a kind of error. */
export interface Fix {
  readonly run?: string | readonly string[];
  readonly set?: { readonly [name: string]: string };
  readonly wait?: string;
  readonly agent?: true;
}

export interface KnownError {
  /** The name of its class; its pattern unless stated. */
  readonly name?: string;
  readonly match: string;
  readonly diagnose: string;
  readonly fix?: Fix;
}

interface OwnOptions {
  readonly errors?: readonly KnownError[];
  readonly rebuild?: string | readonly string[];
  readonly smaller?: { readonly [name: string]: string };
}

/** The study's own entries first, then what is known of such jobs everywhere. */
export function errorTable({ errors = [], rebuild, smaller }: OwnOptions): readonly KnownError[] {
  const stale = rebuild === undefined ? {} : { fix: { run: rebuild } };
  return [
    ...errors,
    {
      name: 'environment-not-registered',
      match: '\\benv(?:ironment)?(?:[_ ](?:id|name))?\\b.{0,80}\\bnot registered|NameNotFound|UnregisteredEnv',
      diagnose: 'the environment is not registered: its name is wrong, or the image is stale',
      ...stale,
    },
    {
      name: 'extra-inputs',
      match: 'extra inputs are not permitted|extra fields not permitted|extra_forbidden',
      diagnose: 'the config has fields that the code in the image does not know: the image is stale',
      ...stale,
    },
    {
      name: 'missing-module',
      match: 'No module named [\'"]?[\\w.]+',
      diagnose: 'a module is missing: the image is stale',
      ...stale,
    },
    {
      name: 'gpu-memory',
      match: 'CUDA out of memory|torch\\.(?:cuda\\.)?OutOfMemoryError|CUBLAS_STATUS_ALLOC_FAILED',
      diagnose: 'the GPU ran out of memory: the batch or the sequence is too large',
      ...(smaller ? { fix: { set: smaller } } : {}),
    },
    {
      name: 'sidecar',
      match: 'connection refused|ECONNREFUSED',
      diagnose: 'a sidecar does not answer yet',
      fix: { wait: '2m' },
    },
  ];
}

/** The first entry that fits what the job wrote last; the index names its class. */
export function diagnose(
  table: readonly KnownError[],
  lines: readonly string[],
): { readonly error: KnownError; readonly index: number } | undefined {
  const text = lines.join('\n');
  const index = table.findIndex(({ match }) => new RegExp(match, 'im').test(text));
  return index < 0 ? undefined : { error: table[index]!, index };
}

export const fixWords = ({ run, set, wait, agent }: Fix): string => {
  if (run !== undefined) return `ran ${typeof run === 'string' ? run : run.join(' ')}`;
  if (set)
    return `set ${Object.entries(set)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ')}`;
  if (wait !== undefined) return `waited ${wait}`;
  return agent ? 'asked the agent' : 'nothing';
};
