import { extname } from 'node:path';
import { readJson } from '../../source/json.js';
import { compileSchema } from '../../source/schema/schema.js';
import { readYaml } from '../../source/yaml.js';
import { readWithoutWaiting } from '../disk/plain-file.js';

type Check = (value: unknown) => readonly { readonly message: string }[];

const compiled = new Map<string, Promise<Check | string>>();

/** Undefined when the file satisfies the schema, otherwise how it does not. A schema that cannot be used never passes. */
export async function checkFile(file: string, schemaFile: string): Promise<string | undefined> {
  if (!compiled.has(schemaFile)) compiled.set(schemaFile, compileFile(schemaFile));
  const check = await compiled.get(schemaFile)!;
  if (typeof check === 'string') return check;
  const data = await readData(file);
  if (!data.ok) return data.why;
  const issues = check(data.value);
  return issues.length === 0
    ? undefined
    : issues
        .slice(0, 5)
        .map(({ message }) => message)
        .join('; ');
}

async function compileFile(schemaFile: string): Promise<Check | string> {
  const schema = await readData(schemaFile);
  if (!schema.ok) return schema.why;
  const { value } = schema;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `the schema ${schemaFile} is not valid: it has to be an object`;
  const result = await compileSchema(value as Record<string, unknown>, { isForeign: true });
  return result.ok ? result.value : `the schema ${schemaFile} is not valid: ${result.error}`;
}

/** What is wrong with a schema itself, looked at before anything is held against it. */
export async function schemaFault(schemaFile: string): Promise<string | undefined> {
  const check = await compileFile(schemaFile);
  return typeof check === 'string' ? check : undefined;
}

export async function readData(file: string): Promise<{ ok: true; value: unknown } | { ok: false; why: string }> {
  let text: string;
  try {
    text = readWithoutWaiting(file).toString();
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
  const read = /\.ya?ml$/.test(extname(file)) ? readYaml : readJson;
  const document = await read(file, text);
  if (document.ok) return { ok: true, value: document.value.value };
  return { ok: false, why: `${file} cannot be read: ${document.error.map(({ message }) => message).join('; ')}` };
}
