import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/model/catalogue/catalogue.js';
import { explainText } from '../../src/report/reference/explain.js';
import { golden } from './golden.js';

const explain = (code: string): string => {
  const text = explainText(code, { color: false });
  if (!text.ok) throw new Error(text.error.message);
  return text.value;
};

describe('explainText', () => {
  test('every code is explained', async () => {
    await golden('explain.txt', Object.keys(catalogue).map(explain).join('\n--------\n\n'));
  });

  test('every entry says why and how in whole sentences', () => {
    for (const [code, { title, cause, fix }] of Object.entries(catalogue)) {
      expect(title, code).toMatch(/^[A-Z].*[^.]$/);
      for (const text of [cause, fix]) expect(text, code).toMatch(/^[A-Z`].*[.:`]$/);
    }
  });

  test('small letters and the bare number are understood', () => {
    expect(explain('ar201')).toBe(explain('AR201'));
    expect(explain('201')).toBe(explain('AR201'));
  });

  test('an unknown code is an error that names the nearest', () => {
    expect(explainText('AR2011', { color: false })).toEqual({
      ok: false,
      error: { message: 'there is no diagnostic "AR2011"', hint: 'Did you mean "AR201"?' },
    });
    expect(explainText('toString', { color: false })).toEqual({
      ok: false,
      error: {
        message: 'there is no diagnostic "toString"',
        hint: 'Codes look like AR201 and stand beside each message',
      },
    });
  });
});
