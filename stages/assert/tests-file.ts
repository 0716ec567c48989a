import { type Json, olderFile, type StageContext, type TestResult } from 'autoresearch';

/** A checklist that something else wrote. What is not plainly a pass is a failure. */
export async function readTests(
  path: string,
  context: StageContext,
): Promise<{ readonly tests: readonly TestResult[] }> {
  const facts = context.fileFacts(path);
  if (!facts) return wrong(path, `${path} is not there`);
  const older = olderFile(path, facts);
  if (older !== undefined) return wrong(path, older);
  const read = await context.parseData(await context.readFile(path), /\.ya?ml$/i.test(path) ? 'yaml' : 'json');
  if (!read.ok) return wrong(path, read.why);
  const list = Array.isArray(read.value) ? read.value : (read.value as { tests?: Json } | null)?.tests;
  if (!Array.isArray(list)) return wrong(path, `${path} has no list "tests"`);
  if (list.length === 0) return wrong(path, `${path} holds no test`);
  return { tests: list.map((entry, index) => testOf(entry as Json, `${path} test ${index + 1}`)) };
}

const words: { readonly [word: string]: TestResult['status'] } = {
  pass: 'passed',
  passed: 'passed',
  ok: 'passed',
  fail: 'failed',
  failed: 'failed',
  error: 'failed',
  skip: 'skipped',
  skipped: 'skipped',
};

function testOf(entry: Json, fallback: string): TestResult {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return { name: fallback, status: 'failed', detail: 'it is not a map of name, status and detail' };
  const { name, status, detail } = entry as { [key: string]: Json };
  if (typeof name !== 'string' || name === '') return { name: fallback, status: 'failed', detail: 'it has no name' };
  const word = typeof status === 'string' ? status.toLowerCase() : '';
  const known = Object.hasOwn(words, word) ? words[word] : undefined;
  if (known === undefined)
    return {
      name,
      status: 'failed',
      detail: `its status is ${JSON.stringify(status) ?? 'missing'}, not passed, failed or skipped`,
    };
  const text =
    detail === undefined || detail === null ? '' : typeof detail === 'string' ? detail : JSON.stringify(detail);
  return { name, status: known, ...(text === '' ? {} : { detail: text }) };
}

const wrong = (name: string, detail: string): { readonly tests: readonly TestResult[] } => ({
  tests: [{ name: `tests ${name}`, status: 'failed', detail }],
});
