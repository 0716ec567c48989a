import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeOrTell } from '../../adapters/disk/write-or-tell.js';
import type { TextProblem } from '../../model/text-problem.js';
import type { RunFacts } from '../../report/history/run-facts.js';
import { type ExecutionRecord, executionRecord } from '../../report/record/execution.js';
import { executionText } from '../../report/record/execution-text.js';
import { structuredReturn } from '../../report/record/structured-return.js';

export interface RecordPlace {
  readonly root: string;
  readonly runDir: string;
  /** Of the lab's own, relative to the project folder. */
  readonly template?: string;
}

/** Writes `execution.md` and `execution.json`. Words say why the lab's own template was not used. */
export async function writeRecord(facts: RunFacts, place: RecordPlace): Promise<string | undefined> {
  const record = executionRecord(facts);
  writeOrTell(join(place.runDir, 'execution.json'), `${JSON.stringify(recordJson(record), null, 2)}\n`);
  const own = place.template === undefined ? {} : await ownText(record, resolve(place.root, place.template));
  writeOrTell(join(place.runDir, 'execution.md'), own.text ?? (await builtInText(record)));
  return own.problem;
}

async function builtInText(record: ExecutionRecord): Promise<string> {
  const text = await executionText(record);
  if (text.ok) return text.value;
  throw new Error(`the built-in template is wrong: ${text.error.map(({ message }) => message).join('; ')}`);
}

/** `execution.json`, with what the run gives back to whoever started it. */
export const recordJson = (record: ExecutionRecord): object => ({ ...record, return: structuredReturn(record) });

interface OwnText {
  readonly text?: string;
  readonly problem?: string;
}

export async function ownText(record: ExecutionRecord, file: string): Promise<OwnText> {
  if (!existsSync(file)) return { problem: `there is no file ${file}` };
  const template = readFileSync(file, 'utf8');
  const text = await executionText(record, template);
  return text.ok ? { text: text.value } : { problem: problemText(template, text.error) };
}

const problemText = (template: string, problems: readonly TextProblem[]): string =>
  problems
    .map(({ message, within }) =>
      within ? `line ${template.slice(0, within[0]).split('\n').length}: ${message}` : message,
    )
    .join('; ');
