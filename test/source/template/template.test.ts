import fc from 'fast-check';
import handlebars from 'handlebars';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { loadTemplates } from '../../../src/source/template/template.js';
import { loadGrammar } from '../../../src/source/template/template-grammar.js';
import { parseSimple } from '../../../src/source/template/template-simple.js';

const templates = await loadTemplates();
const names = {
  name: 'study',
  agentId: 'default',
  vars: {
    steps: 5,
    lr: 0.001,
    seeds: [1, 2, 3],
    gpu: true,
    off: false,
    note: 'a & b <c>',
    empty: [],
    list: [{ id: 'x' }, { id: 'y' }],
  },
  matrix: { seed: 7 },
  task: { id: 'train:seed=7' },
  stage: { name: 'train' },
};

const render = (text: string) => templates.render(text, names, { mode: 'plain' });
const value = (text: string): Json | undefined => {
  const result = render(text);
  return result.ok ? result.value.value : undefined;
};
const problems = (text: string) => {
  const result = templates.check(text, names);
  return result.ok ? [] : result.error;
};

describe('rendering', () => {
  test.each<[string, Json]>([
    ['plain text', 'plain text'],
    ['{{name}}', 'study'],
    ['out/{{matrix.seed}}.json', 'out/7.json'],
    ['{{ vars.note }}!', 'a & b <c>!'],
    ['{{{vars.note}}}!', 'a & b <c>!'],
    ['{{&vars.note}}!', 'a & b <c>!'],
    ['{{vars.steps}}', 5],
    ['{{{vars.steps}}}', 5],
    ['{{vars.gpu}}', true],
    ['{{vars.seeds}}', [1, 2, 3]],
    ['{{vars.lr}}', 0.001],
    [' {{vars.steps}}', ' 5'],
    ['{{vars.steps}}{{vars.steps}}', '55'],
    ['{{#if vars.gpu}}gpu{{else}}cpu{{/if}}', 'gpu'],
    ['{{#if vars.off}}gpu{{else if vars.steps}}some{{else}}cpu{{/if}}', 'some'],
    ['{{#unless vars.off}}on{{/unless}}', 'on'],
    ['{{#if vars.empty}}some{{else}}none{{/if}}', 'none'],
    ['{{#each vars.seeds}}{{this}}{{#unless @last}},{{/unless}}{{/each}}', '1,2,3'],
    ['{{#each vars.seeds}}{{@index}}={{.}} {{/each}}', '0=1 1=2 2=3 '],
    ['{{#each vars.list}}{{id}}-{{../name}}-{{@root.vars.steps}} {{/each}}', 'x-study-5 y-study-5 '],
    ['{{#each vars.list as |item n|}}{{n}}{{item.id}}{{/each}}', '0x1y'],
    ['{{#each vars.empty}}x{{else}}nothing{{/each}}', 'nothing'],
    ['{{#each stage}}{{@key}}={{this}}{{/each}}', 'name=train'],
    ['{{#with vars}}{{steps}}{{#with ../matrix}}{{seed}}{{/with}}{{/with}}', '57'],
    ['{{#each vars.list}}{{#each ../vars.seeds}}{{@../index}}{{this}} {{/each}}{{/each}}', '01 02 03 11 12 13 '],
    ['{{vars.seeds.length}} {{vars.seeds.[1]}}', '3 2'],
    ['a {{~name~}} b', 'astudyb'],
    ['{{! a comment }}x{{!-- another }} --}}y', 'xy'],
    ['\\{{name}} \\\\{{name}}', '{{name}} \\study'],
    ['{{#if vars.gpu}}\n  on\n{{/if}}\nend', '  on\nend'],
    ['{{task.id}}', 'train:seed=7'],
  ])('%j', (text, expected) => {
    expect(render(text)).toEqual({ ok: true, value: { value: expected, raw: [] } });
    expect(problems(text)).toEqual([]);
  });

  test('a file is always text', () => {
    expect(templates.renderText('{{vars.steps}}', names)).toEqual({ ok: true, value: '5' });
    expect(templates.renderText('{{vars.seeds}}', names)).toMatchObject({ ok: false, error: [{ code: 'AR408' }] });
  });

  test.each([
    ['seeds: {{vars.seeds}}', '"vars.seeds" is a list, which cannot stand inside text', [9, 19]],
    ['{{stage}}!', '"stage" is a map, which cannot stand inside text', [2, 7]],
  ] as const)('%j is refused', (text, message, within) => {
    const name = text.slice(...within);
    const hint = `Let it be the whole value, or go through it with {{#each ${name}}}`;
    expect(render(text)).toEqual({ ok: false, error: [{ code: 'AR408', message, hint, within }] });
  });

  test('null is never an empty text', () => {
    const result = templates.renderText('a{{x}}', { x: null });
    expect(result).toEqual({
      ok: false,
      error: [{ code: 'AR408', message: '"x" is null, which cannot stand inside text', within: [3, 4] }],
    });
  });

  test('only lists and maps can be gone through', () => {
    expect(render('{{#each vars.steps}}x{{/each}}')).toEqual({
      ok: false,
      error: [{ code: 'AR408', message: '"vars.steps" is a number, so it has nothing to go through', within: [8, 18] }],
    });
  });
});

describe('unknown names', () => {
  const top = 'Known here: agentId, matrix, name, stage, task, vars';
  test.each<[string, string, string | undefined, readonly [number, number]]>([
    ['{{vars.stpes}}', 'unknown name "vars.stpes"', 'Did you mean "vars.steps"?', [7, 12]],
    ['{{var.steps}}', 'unknown name "var.steps"', 'Did you mean "vars.steps"?', [2, 5]],
    [
      'a\nb {{ vars.zzzzz }}',
      'unknown name "vars.zzzzz"',
      'Known here: empty, gpu, list, lr, note, off, seeds, steps',
      [12, 17],
    ],
    ['{{zzzzz}}', 'unknown name "zzzzz"', top, [2, 7]],
    ['{{vars.steps.x}}', 'unknown name "vars.steps.x"', undefined, [13, 14]],
    ['{{#if vars.off}}{{vars.stpes}}{{/if}}', 'unknown name "vars.stpes"', 'Did you mean "vars.steps"?', [23, 28]],
    [
      '{{#if vars.gpu}}{{else}}{{vars.stpes}}{{/if}}',
      'unknown name "vars.stpes"',
      'Did you mean "vars.steps"?',
      [31, 36],
    ],
    ['{{#each vars.seeds}}{{vars.steps}}{{/each}}', 'unknown name "vars.steps"', undefined, [22, 26]],
    ['{{#each vars.list}}{{idd}}{{/each}}', 'unknown name "idd"', 'Did you mean "id"?', [21, 24]],
    ['{{../name}}', '"../name" leads out of the template', undefined, [2, 9]],
    ['{{@index}}', 'unknown name "@index"', 'It stands only inside {{#each …}}', [2, 8]],
    ['{{#each vars.seeds}}{{@indx}}{{/each}}', 'unknown name "@indx"', 'Did you mean "index"?', [22, 27]],
    ['{{constructor}}', 'unknown name "constructor"', top, [2, 13]],
    ['{{__proto__}}', 'unknown name "__proto__"', top, [2, 11]],
    [
      '{{vars.__proto__.x}}',
      'unknown name "vars.__proto__.x"',
      'Known here: empty, gpu, list, lr, note, off, seeds, steps',
      [7, 16],
    ],
    ['{{name.length}}', 'unknown name "name.length"', undefined, [7, 13]],
    ['{{upper name}}', 'unknown helper "upper"', 'Templates have if, unless, each, with and nothing else', [2, 7]],
    ['{{if vars.gpu 1 2}}', 'unknown helper "if"', 'Write {{#if …}} … {{/if}}', [2, 4]],
    [
      '{{#vars.seeds}}x{{/vars.seeds}}',
      'unknown helper "vars.seeds"',
      'Write {{#each vars.seeds}} or {{#if vars.seeds}}',
      [3, 13],
    ],
    ['{{#eech vars.seeds}}x{{/eech}}', 'unknown helper "eech"', 'Did you mean "each"?', [3, 7]],
    ['{{#if vars.gpu vars.off}}x{{/if}}', '"if" takes one name', undefined, [15, 23]],
    ['{{#if vars.gpu includeZero=true}}x{{/if}}', '"if" takes one name', undefined, [15, 31]],
    ['{{#if true}}x{{/if}}', 'true is not a name', 'Only names can stand in a template', [6, 10]],
    ['{{> partial}}', 'partials and decorators are not available in templates', undefined, [0, 13]],
    [
      '{{lookup vars "steps"}}',
      'unknown helper "lookup"',
      'Templates have if, unless, each, with and nothing else',
      [2, 8],
    ],
  ])('%j', (text, message, hint, within) => {
    expect(problems(text)).toEqual([{ code: 'AR402', message, ...(hint === undefined ? {} : { hint }), within }]);
  });

  test('are all reported at once', () => {
    expect(problems('{{a}} {{b}} {{name}}').map(({ message }) => message)).toEqual([
      'unknown name "a"',
      'unknown name "b"',
    ]);
  });

  test('rendering is as strict as checking, for items that differ', () => {
    const result = templates.renderText('{{#each xs}}{{id}}{{/each}}', { xs: [{ id: 1 }, { di: 2 }] });
    expect(result).toMatchObject({ ok: false, error: [{ code: 'AR402', message: 'unknown name "id"' }] });
  });

  test('below a name whose value is not known yet, everything is known', () => {
    expect(templates.check('{{event.summary}}', { event: undefined })).toMatchObject({ ok: true });
    expect(templates.renderText('{{event}}', { event: undefined })).toMatchObject({
      ok: false,
      error: [{ code: 'AR402' }],
    });
  });
});

describe('syntax', () => {
  const unclosed = 'Close it with }}, or write \\{{ for two plain braces';
  test.each<[string, string, string | undefined, readonly [number, number]]>([
    ['a {{name', 'the template is not closed', unclosed, [2, 8]],
    ['a {{name}', 'the template is not closed', unclosed, [2, 9]],
    ['{{}}', 'a name is missing before }}', undefined, [2, 4]],
    ['{{#if vars.gpu}}a', 'the template ends inside a block', 'Close the block, for example with {{/if}}', [0, 17]],
    ['{{#if vars.gpu}}a{{/each}}', '{{#if}} is closed by {{/each}}', 'Close it with {{/if}}', [3, 5]],
    ['{{name}}}', 'a value that opens with {{ ends with }}}', 'Put a space between }} and }', [6, 9]],
    ['{{{name}}', 'a name is missing before }}', undefined, [7, 9]],
    ['{{else}}', '{{else}} stands outside a block', undefined, [0, 8]],
    ['x\n{{vars.1}}', '"1" cannot stand here', undefined, [9, 10]],
    ['{{vars.this}}', 'this is not a name', undefined, [2, 11]],
  ])('%j', (text, message, hint, within) => {
    expect(problems(text)).toEqual([{ code: 'AR401', message, ...(hint === undefined ? {} : { hint }), within }]);
    expect(render(text)).toMatchObject({ ok: false, error: [{ code: 'AR401' }] });
  });
});

describe('what is used', () => {
  test.each<[string, readonly string[]]>([
    ['{{vars.a}} {{name}}', ['name', 'vars.a']],
    ['{{#if vars.a}}{{vars.b}}{{else}}{{vars.c}}{{/if}}', ['vars.a', 'vars.b', 'vars.c']],
    ['{{#each vars.a}}{{../vars.b}}{{@root.vars.c}}{{this}}{{/each}}', ['vars.a', 'vars.b', 'vars.c']],
    ['{{#with vars}}{{a}}{{#if b}}{{/if}}{{/with}}', ['vars.a', 'vars.b']],
    ['{{#each vars}}{{this}}{{/each}}', ['vars', 'vars.*']],
    ['{{#with vars.a as |x|}}{{x}}{{/with}}', ['vars.a']],
    ['{{vars.[a]}}', ['vars.a']],
    ['no names', []],
  ])('%j', (text, expected) => {
    const result = templates.check(text);
    expect(result.ok && [...result.value.names].sort()).toEqual(expected);
  });
});

describe('Handlebars', () => {
  test('is not loaded for plain names, and a text that needs it is a bug then', async () => {
    const light = await loadTemplates(['no template', 'out/{{matrix.seed}}', '{{{vars.x}}}']);
    expect(light.render('out/{{matrix.seed}}', names, { mode: 'plain' })).toMatchObject({ ok: true });
    expect(() => light.check('{{#if x}}{{/if}}')).toThrow('templates were not loaded for this text');
    const heavy = await loadTemplates(['{{#if name}}x{{/if}}']);
    expect(heavy.render('{{#if name}}x{{/if}}', names, { mode: 'plain' })).toMatchObject({ ok: true });
  });

  test('and the quick parser read the same text in the same way', async () => {
    const grammar = await loadGrammar();
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{{{',
      '}}}',
      '{',
      '}',
      'vars',
      '.',
      'a1',
      ' ',
      '\n',
      '\\',
      'this',
      'else',
      '{{vars.a}}',
      '{{{ x }}}',
      '#',
      '&',
      '~',
      '!',
      'é',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const simple = parseSimple(text);
        if (!simple) return;
        const full = grammar(text);
        expect(full).toEqual({ ok: true, value: simple });
      }),
      { numRuns: 5000 },
    );
  });

  test('would render the same as we do, where it knows all names', () => {
    const node: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(
          'text',
          ' ',
          '\n',
          '{{n}}',
          '{{{n}}}',
          '{{&s}}',
          '{{~n}}',
          '{{n~}}',
          '{{! c }}',
          '{{o.k}}',
          '\\{{n}}',
          '{{@root.n}}',
        ),
        fc
          .tuple(
            fc.constantFrom('if t', 'if f', 'unless t', 'unless f', 'if e', 'if z', 'if o'),
            tie('node'),
            tie('node'),
          )
          .map(([head, a, b]) => `{{#${head}}}${a}{{else}}\n${b}{{/${head.split(' ')[0]}}}`),
        fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
        fc.constantFrom(
          '{{#each l}}{{this}}{{@index}}{{@first}}{{../n}} {{/each}}',
          '{{#each e}}x{{else}}none{{/each}}',
          '{{#each o}}{{@key}}:{{this}} {{/each}}',
        ),
        fc.constantFrom(
          '{{#with o}}{{k}}{{../n}}{{/with}}',
          '{{#each l as |v i|}}{{i}}{{v}}{{#if ../t}}{{v}}{{/if}}{{/each}}',
          '{{#with n as |m|}}{{m}}{{/with}}',
        ),
      ),
    })).node;
    // Handlebars adds raw numbers up instead of writing them one after the other, so there are none here.
    const data = { n: '5', s: 'x y', t: true, f: false, e: [], z: 0, l: ['1', 'b'], o: { k: 'v', q: '2' } };
    fc.assert(
      fc.property(node, (text) => {
        const theirs = handlebars.compile(text, { strict: true })(data);
        expect(templates.renderText(text, data)).toEqual({ ok: true, value: theirs });
      }),
      { numRuns: 1000 },
    );
  });

  test('values are found, never anything of a prototype', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'),
        (name) => {
          for (const text of [
            `{{${name}}}`,
            `{{vars.${name}}}`,
            `{{vars.seeds.${name}}}`,
            `{{name.${name}}}`,
            `{{#with vars}}{{${name}}}{{/with}}`,
          ]) {
            expect(value(text)).toBeUndefined();
          }
        },
      ),
    );
  });
});

test('blocks that are too deep inside of each other are a mistake, not an end of our memory (AR401)', () => {
  const nested = (depth: number): string => `${'{{#if vars.gpu}}'.repeat(depth)}x${'{{/if}}'.repeat(depth)}`;
  expect(problems(nested(50))).toEqual([]);
  expect(problems(nested(50).repeat(3))).toEqual([]);
  for (const depth of [51, 20_000])
    expect(problems(nested(depth))).toEqual([
      {
        code: 'AR401',
        message: 'more than 50 blocks are inside of each other',
        hint: 'Make the text of fewer of them',
        within: [50 * '{{#if vars.gpu}}'.length, 50 * '{{#if vars.gpu}}'.length + 3],
      },
    ]);
});
