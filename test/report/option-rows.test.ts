import { expect, test } from 'vitest';
import { behaviourText } from '../../src/report/reference/behaviour-text.js';
import { optionRows } from '../../src/report/reference/option-rows.js';

const options = {
  type: 'object',
  required: ['run'],
  properties: {
    run: {
      description: 'Text goes through `sh -c`.',
      anyOf: [
        { type: 'string', format: 'shell' },
        { type: 'array', items: { type: 'string' } },
      ],
    },
    form: { enum: ['csv', 'json'], description: 'How it is written.' },
    checks: {
      type: 'array',
      items: {
        required: ['name'],
        type: 'object',
        properties: { name: { type: 'string' }, exit: { type: 'integer' } },
      },
    },
    from: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { file: { type: 'string' } } },
    },
  },
};

test('all options are told, those inside of lists and maps too', () => {
  expect(optionRows(options)).toEqual([
    { path: 'run', type: 'command or list of text', isRequired: true, about: 'Text goes through `sh -c`.' },
    { path: 'form', type: '`csv`, `json`', isRequired: false, about: 'How it is written.' },
    { path: 'checks', type: 'list of map', isRequired: false, about: '' },
    { path: 'checks[].name', type: 'text', isRequired: true, about: '' },
    { path: 'checks[].exit', type: 'whole number', isRequired: false, about: '' },
    { path: 'from', type: 'map of map', isRequired: false, about: '' },
    { path: 'from.*.file', type: 'text', isRequired: false, about: '' },
  ]);
});

test('stages show, in full', () => {
  const text = behaviourText(
    { name: 'x', summary: 'Does it', options },
    { color: false, width: 60, example: 'a:\n  uses: x' },
  );
  expect(text).toBe(`x: Does it

Options, under \`with\` (* must be there):
  run *  command or list of text
      Text goes through sh -c.
  form  csv, json
      How it is written.
  checks  list of map
  checks[].name *  text
  checks[].exit  whole number
  from  map of map
  from.*.file  text

For example:
  a:
    uses: x

As JSON Schema: autoresearch stages show x --json
`);
});

test('a behaviour without options says so', () => {
  const bare = { name: 'x', summary: 'Does it', options: { type: 'object', properties: {} } };
  expect(behaviourText(bare, { color: false, width: 60 })).toBe(
    'x: Does it\n\nIt takes no options.\n\nAs JSON Schema: autoresearch stages show x --json\n',
  );
});
