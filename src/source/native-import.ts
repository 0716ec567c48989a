import { compileFunction, constants } from 'node:vm';

/** Node's own `import()`, as if it stood in the importing file. Shaped so that compiled imports can use it. */
export async function importNatively(specifier: string, importer: string): Promise<Record<string, unknown>> {
  const namespace = await withoutExperimentalWarnings(() => {
    const importer_ = compileFunction('return import(specifier)', ['specifier'], {
      filename: importer,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }) as (specifier: string) => Promise<Record<string, unknown>>;
    return importer_(specifier);
  });
  return { ...namespace, __esModule: true };
}

/**
 * Node 20 warns on stderr when a package that is an ES module is required. Users cannot do anything about it, and
 * stderr is for them; other warnings pass.
 */
export function withoutExperimentalWarnings<T>(action: () => T): T {
  const original = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    const [type] = rest;
    const name = typeof type === 'object' && type !== null ? (type as { type?: unknown }).type : type;
    if (name === 'ExperimentalWarning') return;
    Reflect.apply(original, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    return action();
  } finally {
    process.emitWarning = original;
  }
}
