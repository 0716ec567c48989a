import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../src/model/json-schema.js';
import { compileSchema } from '../../../src/source/schema/schema.js';

async function issues(schema: JsonSchema, value: unknown) {
  const check = await compileSchema(schema);
  if (!check.ok) throw new Error(check.error);
  return check.value(value);
}

/** The one issue with a value under the key `x`. */
async function issueWith(schema: JsonSchema, value: unknown) {
  const found = await issues({ type: 'object', properties: { x: schema }, additionalProperties: false }, { x: value });
  expect(found).toHaveLength(1);
  return found[0];
}

describe('compileSchema', () => {
  test('a value that fits has no issues, and "shell" is a known format', async () => {
    expect(await issues({ type: 'string', format: 'shell' }, 'rm -rf {{x}}')).toEqual([]);
  });

  test('a schema that is wrong is answered in words', async () => {
    expect(await compileSchema({ type: 'objekt' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('type'),
    });
    expect(await compileSchema({ type: 'object', propertys: {} })).toEqual({
      ok: false,
      error: 'strict mode: unknown keyword: "propertys"',
    });
    expect(await compileSchema({ type: 'string', format: 'nope' })).toMatchObject({ ok: false });
    expect(await compileSchema({ $ref: '#/$defs/none' })).toMatchObject({ ok: false });
  });
});

describe('keys', () => {
  const schema = {
    type: 'object',
    properties: { steps: {}, needs: {} },
    required: ['steps'],
    additionalProperties: false,
  };

  test('unknown ones, with what was meant or what there is', async () => {
    expect(await issues(schema, { steps: 1, neds: 1, zzz: 2, 'a/b': 3 })).toEqual([
      {
        kind: 'unknown-key',
        pointer: '/neds',
        key: 'neds',
        message: 'unknown key "neds"',
        hint: 'Did you mean "needs"?',
      },
      {
        kind: 'unknown-key',
        pointer: '/zzz',
        key: 'zzz',
        message: 'unknown key "zzz"',
        hint: 'Known here: steps, needs',
      },
      {
        kind: 'unknown-key',
        pointer: '/a~1b',
        key: 'a/b',
        message: 'unknown key "a/b"',
        hint: 'Known here: steps, needs',
      },
    ]);
  });

  test('missing ones', async () => {
    expect(await issues(schema, {})).toEqual([
      { kind: 'missing-key', pointer: '', key: 'steps', message: 'the value needs "steps"' },
    ]);
    const check = await compileSchema({ type: 'object', properties: { in: schema } }, { whole: 'with' });
    expect(check.ok && check.value({ in: {} })).toEqual([
      { kind: 'missing-key', pointer: '/in', key: 'steps', message: 'in needs "steps"' },
    ]);
    expect(check.ok && check.value(3)).toEqual([
      { kind: 'wrong-type', pointer: '', message: 'with must be a map, but is 3' },
    ]);
  });

  test('badly named ones are one issue, not two', async () => {
    const named = {
      type: 'object',
      propertyNames: { $ref: '#/$defs/id' },
      $defs: { id: { pattern: '^[a-z]+$', type: 'string', description: 'Small letters `a` to `z`.' } },
    };
    expect(await issues(named, { 'No!': 1 })).toEqual([
      {
        kind: 'bad-name',
        pointer: '/No!',
        key: 'No!',
        message: '"No!" is not a name',
        hint: 'A name is small letters "a" to "z"',
      },
    ]);
  });
});

describe('values', () => {
  test.each<[JsonSchema, unknown, string, string?]>([
    [{ type: 'integer', minimum: 1 }, 0, 'x must be a whole number of at least 1, but is 0'],
    [{ type: 'integer', minimum: 1, maximum: 100 }, 1.5, 'x must be a whole number from 1 to 100, but is 1.5'],
    [{ type: 'integer' }, '3', 'x must be a whole number, but is "3"', 'Remove the quotes'],
    [{ type: 'number', exclusiveMinimum: 0 }, 0, 'x must be a number above 0, but is 0'],
    [{ type: 'boolean' }, 'yes', 'x must be true or false, but is "yes"'],
    [{ type: 'boolean' }, 'true', 'x must be true or false, but is "true"', 'Remove the quotes'],
    [{ type: 'string', minLength: 1 }, '', 'x must be text that is not empty, but is ""'],
    [{ type: 'string' }, 3, 'x must be text, but is 3', 'Put quotes around it: "3"'],
    [{ type: 'string', pattern: '^a+$' }, 'b', 'x must be text that matches ^a+$, but is "b"'],
    [
      { type: 'string', maxLength: 5 },
      'y'.repeat(80),
      `x must be text of at most 5 characters, but is "${'y'.repeat(58)}…`,
    ],
    [
      { type: 'string', enum: ['auto', 'none'] },
      'nnoe',
      'x must be "auto" or "none", but is "nnoe"',
      'Did you mean "none"?',
    ],
    [{ type: 'string', enum: ['auto', 'none'] }, 3, 'x must be "auto" or "none", but is 3'],
    [{ const: 1 }, 2, 'x must be 1, but is 2'],
    [{ type: 'array', items: { type: 'string' } }, 'a', 'x must be a list of text, but is "a"', 'Write ["a"]'],
    [{ type: 'array', minItems: 2, maxItems: 2 }, [1], 'x must be a list of exactly 2 entries, but is a list of 1'],
    [{ type: 'array', minItems: 1 }, [], 'x must be a list of at least 1 entry, but is an empty list'],
    [{ type: 'object', minProperties: 1 }, {}, 'x must be a map of at least 1 entry, but is an empty map'],
    [{ type: ['string', 'number', 'boolean'] }, {}, 'x must be text, a number, true or false, but is an empty map'],
    [{ type: 'array', uniqueItems: true }, [1, 1], 'x holds 1 twice'],
    [{ type: 'string' }, null, 'x must be text, but is null'],
  ])('%j refuses %j', async (schema, value, message, hint) => {
    const issue = await issueWith(schema, value);
    expect(issue).toEqual({
      kind: expect.stringMatching(/wrong-type|not-allowed/),
      pointer: '/x',
      message,
      ...(hint ? { hint } : {}),
    });
  });

  test('durations are recognised by the definition they use', async () => {
    const schema = {
      type: 'object',
      properties: { t: { $ref: '#/$defs/duration' } },
      $defs: { duration: { type: 'string', pattern: '^[0-9]+s$' } },
    };
    expect(await issues(schema, { t: 5 })).toEqual([
      {
        kind: 'bad-duration',
        pointer: '/t',
        message: 't must be a duration, but is 5',
        hint: 'Write a unit, such as 5s or 5m',
      },
    ]);
    expect(await issues(schema, { t: '1.5 hours' })).toEqual([
      {
        kind: 'bad-duration',
        pointer: '/t',
        message: 't must be a duration, but is "1.5 hours"',
        hint: 'Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d',
      },
    ]);
  });
});

describe('alternatives', () => {
  const shape = (kind: string, properties: object, required: readonly string[]) => ({
    type: 'object',
    properties: { kind: { const: kind }, ...properties },
    required: ['kind', ...required],
    additionalProperties: false,
  });
  const gate: JsonSchema = {
    anyOf: [{ type: 'string', enum: ['human', 'auto'] }, { $ref: '#/$defs/human' }, { $ref: '#/$defs/judge' }],
    $defs: {
      count: { type: 'integer', minimum: 1 },
      human: shape('human', { max: { $ref: '#/$defs/count' } }, []),
      judge: shape('judge', { max: { $ref: '#/$defs/count' }, agent: { type: 'string' } }, ['agent']),
    },
  };

  test('the one whose tag is written is the one that was meant', async () => {
    expect(await issues(gate, { kind: 'judge', max: 0, agnt: 'x' })).toEqual([
      { kind: 'missing-key', pointer: '', key: 'agent', message: 'the value needs "agent"' },
      {
        kind: 'unknown-key',
        pointer: '/agnt',
        key: 'agnt',
        message: 'unknown key "agnt"',
        hint: 'Did you mean "agent"?',
      },
      { kind: 'not-allowed', pointer: '/max', message: 'max must be a whole number of at least 1, but is 0' },
    ]);
  });

  test('a tag that is missing or unknown', async () => {
    expect(await issues(gate, { max: 1 })).toEqual([
      {
        kind: 'missing-key',
        pointer: '',
        key: 'kind',
        message: 'the value needs "kind"',
        hint: '"kind" is "human" or "judge"',
      },
    ]);
    expect(await issues(gate, { kind: 'humna' })).toEqual([
      {
        kind: 'not-allowed',
        pointer: '/kind',
        message: 'kind must be "human" or "judge", but is "humna"',
        hint: 'Did you mean "human"?',
      },
    ]);
    expect(await issues(gate, { kind: 3 })).toMatchObject([{ message: 'kind must be "human" or "judge", but is 3' }]);
  });

  test('the one whose type fits', async () => {
    expect(await issues(gate, 'humn')).toEqual([
      {
        kind: 'not-allowed',
        pointer: '',
        message: 'the value must be "human" or "auto", but is "humn"',
        hint: 'Did you mean "human"?',
      },
    ]);
    expect(await issues(gate, 3)).toEqual([
      { kind: 'wrong-type', pointer: '', message: 'the value must be "human", "auto" or a map, but is 3' },
    ]);
  });

  test('inside maps, lists and each other', async () => {
    const scalar = { type: ['string', 'number'] };
    const schema = {
      type: 'object',
      additionalProperties: {
        anyOf: [scalar, { type: 'array', items: { oneOf: [scalar, { type: 'array', items: scalar }] } }],
      },
    };
    expect(await issues(schema, { a: {}, b: [1, [2, true]], c: 1 })).toEqual([
      { kind: 'wrong-type', pointer: '/a', message: 'a must be text, a number or a list, but is an empty map' },
      {
        kind: 'wrong-type',
        pointer: '/b/1/1',
        message: 'b[1][1] must be text or a number, but is true',
        hint: 'Put quotes around it: "true"',
      },
    ]);
  });

  test('texts of several forms', async () => {
    const schema = {
      anyOf: [
        { type: 'string', pattern: '^[0-9]+$' },
        { type: 'string', pattern: '^\\{\\{x\\}\\}$' },
      ],
    };
    expect(await issues(schema, 'z')).toEqual([
      {
        kind: 'not-allowed',
        pointer: '',
        message: 'the value must be text that matches ^[0-9]+$ or a template such as "{{vars.name}}", but is "z"',
      },
    ]);
  });

  test('alternatives that cannot be put into words never show JSON Schema', async () => {
    const schema = { anyOf: [{ not: { const: 1 } }, { not: { type: 'number' } }] };
    expect(await issues({ allOf: [schema, { not: { const: 1 } }] }, 1)).not.toEqual([]);
    for (const { message } of await issues(schema, 1)) expect(message).not.toMatch(/schema/);
  });
});
