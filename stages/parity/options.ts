import { type OptionsOf, valueSourceSchema } from 'autoresearch';

const path = { type: 'string', minLength: 1 } as const;
const text = { type: 'string', minLength: 1 } as const;

export const options = {
  type: 'object',
  additionalProperties: false,
  required: ['check', 'arms', 'params'],
  properties: {
    check: {
      ...text,
      description: 'The name of an entry under `parity` in the config; the next four options come from there.',
    },
    arms: {
      type: 'object',
      minProperties: 2,
      additionalProperties: valueSourceSchema,
      description: 'Arm → where its values are.',
    },
    params: {
      type: 'array',
      minItems: 1,
      items: text,
      description: 'What must be equal: dotted paths, `*` for any part.',
    },
    except: {
      type: 'object',
      additionalProperties: { ...text, pattern: '\\S' },
      description: 'What may differ → why.',
    },
    python: { ...text, description: 'The interpreter for Python and TOML files; `python3` unless stated.' },
    resolved: {
      type: 'object',
      minProperties: 2,
      additionalProperties: valueSourceSchema,
      description:
        'Arm → where its real run says what it used. Compared between the arms, and with what the files say.',
    },
    names: {
      type: 'object',
      additionalProperties: text,
      description: 'Parameter → what it is called in `resolved`, where that is another name.',
    },
    to: { ...path, description: 'A file for the table: Markdown, or JSON when it ends so.' },
  },
} as const;

export type ParityOptions = OptionsOf<typeof options>;
