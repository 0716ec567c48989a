import { basename, extname } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import { err, type Result } from '../model/result.js';
import type { Door } from '../source/module-loader.js';
import { utf8Problem } from '../source/utf8.js';

/** Reads a config or preset in the language that its name says; the reader of no other language is loaded. */
export async function readDocument(file: string, text: string, door: Door): Promise<Result<Document, Diagnostic[]>> {
  const garbled = utf8Problem(file, text);
  if (garbled) return err([garbled]);
  const name = basename(file);
  if (name === 'package.json') return readPackage(file, text);
  switch (name.startsWith('.autoresearchrc') && !/\.\w+$/.test(name.slice(1)) ? '.yaml' : extname(name)) {
    case '.yaml':
    case '.yml':
      return (await import('../source/yaml.js')).readYaml(file, text, { goOn: true });
    case '.json':
      return (await import('../source/json.js')).readJson(file, text, { goOn: true });
    case '.ts':
    case '.mts':
    case '.cts':
    case '.js':
    case '.mjs':
    case '.cjs':
      return (await import('../source/typescript.js')).readTypescript(file, text, { door });
    default: {
      const hint = 'Use .ts, .mts, .js, .mjs, .json, .yaml or .yml';
      return err([{ code: 'AR103', message: `cannot tell the language of ${name}`, hint, at: { kind: 'file', file } }]);
    }
  }
}

async function readPackage(file: string, text: string): Promise<Result<Document, Diagnostic[]>> {
  const { readJson } = await import('../source/json.js');
  const document = await readJson(file, text, { part: '/autoresearch', goOn: true });
  if (!document.ok || document.value.value !== undefined) return document;
  const message = 'package.json has no "autoresearch" key';
  return err([{ code: 'AR101', message, at: { kind: 'file', file } }]);
}
