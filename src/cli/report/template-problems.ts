import { resolve } from 'node:path';
import type { Diagnostic } from '../../model/diagnostic.js';
import { pointerOf } from '../../model/pointer.js';
import { sampleRecord } from '../../report/record/sample-record.js';
import { ownText } from './write-record.js';

/** Tries the lab's own template out on a record that has one of everything. */
export async function templateProblems(root: string, template: string): Promise<readonly Diagnostic[]> {
  const { problem } = await ownText(sampleRecord, resolve(root, template));
  if (problem === undefined) return [];
  return [
    {
      code: 'AR640',
      message: `execution.md cannot be made from it: ${problem}`,
      at: { kind: 'config', pointer: pointerOf('report', 'template') },
      hint: 'Correct the file; autoresearch report --json prints what it may name',
    },
  ];
}
