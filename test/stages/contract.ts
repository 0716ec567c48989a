import { isAbsolute, normalize } from 'node:path';
import { Ajv } from 'ajv';
import type { Failure } from 'autoresearch';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/model/json.js';
import type { Behaviour } from '../../src/model/stage.js';
import { plainFacts, recordingContext, type World } from './recording-context.js';
import { loadInSandbox } from './sandbox.js';

export interface ContractCases {
  /** Options the schema accepts, each with a world in which `run` passes. */
  readonly examples: readonly { readonly options: JsonObject; readonly world?: World }[];
  /** Its commands are questions: that one fails is an answer. */
  readonly asksCommands?: true;
  /** Options the schema refuses. */
  readonly refused: readonly JsonObject[];
}

/** What every behaviour promises, whoever wrote it. `folder` is its place under stages/. */
export function stageContract(folder: string, cases: ContractCases): void {
  describe(`${folder} keeps the contract of behaviours`, () => {
    const behaviour = loadInSandbox(folder);
    saysWhatItIs(behaviour);
    checksItsOptions(behaviour, cases);
    for (const [index, { options, world }] of cases.examples.entries()) {
      describe(`example ${index + 1}`, () => {
        describesPurely(behaviour, options);
        runsThroughTheContext(behaviour, { options, world: world ?? {}, asksCommands: cases.asksCommands ?? false });
      });
    }
  });
}

function saysWhatItIs(behaviour: Behaviour): void {
  test('has a name, a summary of one line and a version, and nothing unknown', () => {
    expect(behaviour.name).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(behaviour.summary).toMatch(/^\S[^\n]*[^\s.]$/);
    expect(behaviour.version).toMatch(/^\S+$/);
    const needed = ['describe', 'name', 'options', 'run', 'summary', 'version'];
    const known = [...needed, 'expands', 'recheck', 'records', 'submits'];
    expect(Object.keys(behaviour)).toEqual(expect.arrayContaining(needed));
    expect(Object.keys(behaviour).filter((key) => !known.includes(key))).toEqual([]);
  });
}

function checksItsOptions({ options: schema }: Behaviour, { examples, refused }: ContractCases): void {
  const compile = () =>
    new Ajv({ strict: true, strictRequired: true, formats: { shell: true, expression: true } }).compile(
      asData(schema) as object,
    );

  test('has a strict schema of options that is plain data and closed at its top', () => {
    expect(asData(schema)).toEqual(schema);
    expect(schema.type).toBe('object');
    expect(schema.additionalProperties).toBe(false);
    expect(compile).not.toThrow();
  });

  test('describes every option to the reader of `stages show`', () => {
    expect(undescribed(schema)).toEqual([]);
  });

  test('accepts its examples and refuses what is wrong', () => {
    const validate = compile();
    expect(examples.length).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(0);
    for (const { options } of examples) expect(validate(options), JSON.stringify(validate.errors)).toBe(true);
    for (const options of refused) expect(validate(options), JSON.stringify(options)).toBe(false);
    for (const { options } of examples) expect(validate({ ...options, unknownOption: 1 })).toBe(false);
  });
}

function describesPurely(behaviour: Behaviour, options: JsonObject): void {
  const describeOnce = () => behaviour.describe(deepFreeze(structuredClone(options)), plainFacts);

  test('describes itself twice alike, as plain data, without changing what it is given', () => {
    const first = describeOnce();
    expect(asData(first)).toEqual(asData(describeOnce()));
    expect(asData(first)).toEqual(first);
    expect(Object.keys(first).filter((key) => !describing.includes(key))).toEqual([]);
    expect(first.summary).toMatch(/^\S[^\n]*$/);
  });

  test('reads and writes inside the project', () => {
    const { reads = [], looksAt = [], writes = [] } = describeOnce();
    for (const path of [...reads, ...looksAt, ...writes]) {
      expect(path).not.toBe('');
      expect(isAbsolute(path), path).toBe(false);
      expect(normalize(path).startsWith('..'), path).toBe(false);
    }
  });
}

function runsThroughTheContext(
  behaviour: Behaviour,
  { options, world, asksCommands }: { options: JsonObject; world: World; asksCommands: boolean },
): void {
  const runOnce = async (changes: World = {}) => {
    const context = recordingContext({ ...world, ...changes });
    const result = await behaviour.run(deepFreeze(structuredClone(options)), context);
    return { result, effects: context.effects };
  };

  test('passes, with a result that is plain data', async () => {
    const { result } = await runOnce();
    expect(result).toMatchObject({ ok: true });
    expect(asData(result)).toEqual(result);
  });

  test('records only numbers that it says it may', async () => {
    const names = behaviour.records?.(deepFreeze(structuredClone(options)));
    expect(asData(names ?? [])).toEqual(names ?? []);
    if (!names) return;
    const { result } = await runOnce();
    expect(names).toEqual(expect.arrayContaining(Object.keys(result.metrics ?? {})));
  });

  test('hands over what it says it would, and nothing else, where it says that this is one job', async () => {
    const only = behaviour.submits?.(deepFreeze(structuredClone(options)));
    if (!only) return;
    const { effects } = await runOnce();
    const handed = effects.flatMap((effect) =>
      effect.kind === 'command' ? [effect.run] : effect.kind === 'job' ? [effect.wish.run] : [],
    );
    expect(handed).toEqual([only.run]);
  });

  test('does the same again for the same options', async () => {
    expect(asData(await runOnce())).toEqual(asData(await runOnce()));
  });

  test('does no more than it described', async () => {
    const { commands = [], reads = [], looksAt = [], writes = [] } = behaviour.describe(options, plainFacts);
    const { effects } = await runOnce();
    for (const effect of effects) {
      if (effect.kind === 'read') expect([...reads, ...looksAt]).toContain(effect.path);
      if (effect.kind === 'write') expect(writes).toContain(effect.path);
    }
    expect(effects.filter(({ kind }) => kind === 'command' || kind === 'job')).toHaveLength(commands.length);
    expect(effects.filter(({ kind }) => kind === 'write')).toHaveLength(writes.length);
  });

  test.skipIf(asksCommands)('hands on the failure of a command as it is', async () => {
    for (const failure of failures) {
      const { result, effects } = await runOnce({ commandEnd: { ok: false, failure } });
      const captured = effects.filter((effect) => effect.kind === 'command' && effect.options?.capture);
      const ran = effects.filter(({ kind }) => kind === 'command').length - captured.length;
      // What a command says that was run to be looked at is for the behaviour to judge, but nothing that ended the attempt.
      const isOver = failure.code === 'timed-out';
      if (captured.length > 0) expect(result.ok).toBe(false);
      if (captured.length > 0 && isOver) expect(captured).toHaveLength(1);
      if (ran > 0 || (captured.length > 0 && isOver)) expect(result).toEqual({ ok: false, failure });
      expect(ran, 'goes on after a failed command, or retries it').toBeLessThanOrEqual(1);
    }
  });

  test('does not swallow an error of the context', async () => {
    for (const method of ['command', 'readFile', 'writeFile'] as const) {
      const broken = new Error('the disk is full');
      const context = recordingContext(world);
      let called = false;
      context[method] = async () => {
        called = true;
        throw broken;
      };
      const result = behaviour.run(options, context);
      await settled(result);
      if (called) await expect(result).rejects.toBe(broken);
    }
  });
}

const describing = [
  'jobs',
  'summary',
  'commands',
  'writes',
  'reads',
  'asks',
  'problems',
  'always',
  'fixes',
  'looksAt',
  'mustBeNew',
  'repeats',
];

const failures: readonly Failure[] = [
  { code: 'command-failed', exitCode: 3 },
  { code: 'command-killed', signal: 'SIGKILL' },
  { code: 'command-not-found', command: 'nope' },
  { code: 'timed-out', afterMs: 1000 },
];

const asData = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const settled = (promise: Promise<unknown>): Promise<void> =>
  promise.then(
    () => undefined,
    () => undefined,
  );

/** Options without a `description`, a list's or a map's own wrapper aside. */
function undescribed(schema: unknown, at = ''): string[] {
  if (!isJsonObject(schema)) return [];
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  return [
    ...properties.flatMap(([name, option]) => [
      ...(isJsonObject(option) && typeof option.description === 'string' ? [] : [`${at}/${name}`]),
      ...undescribed(option, `${at}/${name}`),
    ]),
    ...undescribed(schema.items, `${at}/*`),
  ];
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const part of Object.values(Object.freeze(value))) deepFreeze(part);
  return value;
}
