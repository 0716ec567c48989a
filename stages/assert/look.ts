import type { Failure, Json, StageContext, TestResult } from 'autoresearch';
import { kindOf, nameOf } from './kinds.js';
import { isMap, type Names, valueAt } from './names.js';
import type { Check } from './options.js';
import { readTests } from './tests-file.js';

/** What one check found: a text says why it does not hold. A failure is not about the check: the task is being ended. */
export type Found = { readonly tests: readonly TestResult[] } | { readonly failure: Failure };

export async function look(check: Check, names: Names, context: StageContext): Promise<Found> {
  const kind = kindOf(check);
  if (kind === 'tests') return readTests(check.tests!, context);
  const why = await looks[kind](check, names, context);
  if (typeof why === 'object') return { failure: why.failure };
  return {
    tests: [
      {
        name: nameOf(check),
        status: why === undefined ? 'passed' : 'failed',
        ...(why === undefined ? {} : { detail: why }),
      },
    ],
  };
}

type Look = (
  check: Check,
  names: Names,
  context: StageContext,
) => Promise<string | { readonly failure: Failure } | undefined>;

const looks: { readonly [kind in Exclude<ReturnType<typeof kindOf>, 'tests'>]: Look } = {
  async expression({ expression }, { names, lost }, context) {
    const answer = await context.evaluate(expression!, names);
    if (answer.ok && answer.value) return undefined;
    const used = usedIn(expression!, { names, lost });
    return answer.ok ? `${expression} is false${used}` : `${answer.why}${used}`;
  },

  async command({ command, exit = 0, contains, matches, lacks }, _names, context) {
    const end = await context.command(command!, { capture: true });
    if (end.exitCode === undefined && !end.ok) return { failure: end.failure };
    const printed = `${end.stdout}${end.stderr}`;
    if (end.exitCode !== exit) return `exit code ${end.exitCode}, expected ${exit}${lastLine(printed)}`;
    if (end.isCut) return 'it printed more than a megabyte';
    return textProblem(printed, { contains, matches, lacks }, context);
  },

  async file({ file, contains, matches, lacks, equals, differs, schema }, _names, context) {
    const facts = context.fileFacts(file!);
    if (!facts) return `${file} is not there`;
    if (facts.sizeBytes === 0) return `${file} is empty`;
    const invalid = schema === undefined ? undefined : await context.schemaProblem(file!, schema);
    if (invalid !== undefined) return `${file} does not satisfy ${schema}: ${invalid}`;
    if ((contains ?? matches ?? lacks ?? equals ?? differs) === undefined) return undefined;
    const text = await context.readFile(file!);
    for (const [other, wanted] of [[equals, true] as const, [differs, false] as const]) {
      if (other === undefined) continue;
      if (!context.fileFacts(String(other))) return `${String(other)} is not there`;
      if ((text === (await context.readFile(String(other)))) !== wanted)
        return wanted ? `it differs from ${String(other)}` : `it is the same as ${String(other)}`;
    }
    return textProblem(text, { contains, matches, lacks }, context);
  },

  async missing({ missing }, _names, context) {
    return context.fileFacts(missing!) || context.listFiles([missing!]).length > 0 ? `${missing} is there` : undefined;
  },

  async mapping({ mapping, has, lacks, equals }, { names }) {
    const map = valueAt(names, mapping!);
    if (!isMap(map)) return map === undefined ? `there is no ${mapping}` : `${mapping} is ${shown(map)}, not a map`;
    const keys = Object.keys(map).join(', ') || 'none';
    if (lacks !== undefined && Object.hasOwn(map, lacks)) return `${mapping} has ${lacks}; expected without it`;
    if (has === undefined) return undefined;
    if (!Object.hasOwn(map, has)) return `${mapping} has no ${has}; its keys are ${keys}`;
    if (equals === undefined || map[has] === equals) return undefined;
    return `${mapping}.${has} is ${shown(map[has])}, expected ${shown(equals as Json)}`;
  },

  async absent({ absent }, { names, lost }) {
    const [source = ''] = absent!.split('.');
    if (!Object.hasOwn(names, source)) return `there is no ${source} to look at`;
    const value = valueAt(names, absent!);
    if (lost.has(absent!)) return `${absent} is ${lost.get(absent!)}`;
    if (value === undefined || (isMap(value) && Object.keys(value).length === 0)) return undefined;
    return `${absent} is ${shown(value)}; expected without it`;
  },

  async sameKeys({ sameKeys }, { names }) {
    const maps = sameKeys!.map((path) => ({ path, map: valueAt(names, path) }));
    const wrong = maps.find(({ map }) => !isMap(map));
    if (wrong) return wrong.map === undefined ? `there is no ${wrong.path}` : `${wrong.path} is not a map`;
    const all = new Set(maps.flatMap(({ map }) => Object.keys(map as object)));
    if (all.size === 0) return 'none of them has a key';
    const lacking = maps.flatMap(({ path, map }) => {
      const missing = [...all].filter((key) => !Object.hasOwn(map as object, key));
      return missing.length > 0 ? [`${path} has no ${missing.join(', ')}`] : [];
    });
    return lacking.length > 0 ? lacking.join('; ') : undefined;
  },
};

interface Wanted {
  readonly contains?: string | undefined;
  readonly matches?: string | undefined;
  readonly lacks?: string | undefined;
}

function textProblem(text: string, { contains, matches, lacks }: Wanted, context: StageContext): string | undefined {
  if (contains !== undefined && !text.includes(contains)) return `${shown(contains)} is not in it${lastLine(text)}`;
  if (lacks !== undefined && text.includes(lacks)) return `${shown(lacks)} is in it`;
  if (matches === undefined) return undefined;
  const found = context.matches(matches, text);
  if (!found.ok) return found.why;
  return found.value.length === 0 ? `nothing in it fits ${matches}${lastLine(text)}` : undefined;
}

/** What the names in an expression stood for; without it nobody knows how far off it was. */
function usedIn(expression: string, { names, lost }: Names): string {
  const texts = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  const paths = new Set(texts.match(/[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/g) ?? []);
  const told = [...paths].flatMap((path) => {
    const value = valueAt(names, path);
    const known = lost.get(path) ?? (value === undefined || isMap(value) ? undefined : shown(value));
    return known === undefined ? [] : [`${path} is ${known}`];
  });
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}

function shown(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

function lastLine(text: string): string {
  const line = text.trimEnd().split('\n').at(-1)!.trim();
  return line === '' ? '' : `: ${line.length <= 160 ? line : `${line.slice(0, 159)}…`}`;
}
