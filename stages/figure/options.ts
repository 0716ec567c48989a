import type { OptionsOf } from 'autoresearch';

const path = { type: 'string', minLength: 1 } as const;

export const figure = {
  type: 'object',
  additionalProperties: false,
  required: ['spec', 'data', 'to'],
  properties: {
    spec: { ...path, description: 'The JSON file with the Vega-Lite specification.' },
    data: {
      type: 'object',
      additionalProperties: path,
      minProperties: 1,
      description:
        'Tables by name, each a JSON, JSON Lines, YAML or CSV file. A part in braces stands for anything and becomes a column: runs/{arm}-{seed}/log.jsonl.',
    },
    to: {
      ...path,
      pattern: '^[^.]([^.]|\\.(?!(svg|pdf|png)$))*$',
      description: 'The file to write, without its ending.',
    },
    formats: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: ['svg', 'pdf', 'png'] },
      description: 'The forms to write; all three unless stated.',
    },
    scale: {
      type: 'number',
      minimum: 0.5,
      maximum: 8,
      description: 'Pixels of the PNG for each of the SVG; 2 unless stated.',
    },
  },
} as const;

export const options = {
  type: 'object',
  additionalProperties: false,
  required: ['figures'],
  properties: { figures: { type: 'array', minItems: 1, items: figure, description: 'The figures to draw.' } },
} as const;

export type Figure = OptionsOf<typeof figure>;
