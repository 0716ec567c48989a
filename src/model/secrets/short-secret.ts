import { formsOf, shortestSecret } from './secret-forms.js';

/**
 * A value of a few letters is also part of ordinary words: it is hidden where something says what it is, and left alone elsewhere.
 * Form → what takes its place, given the mark of the value.
 */
export function shortForms(name: string, value: string, mark: string): ReadonlyMap<string, string> {
  const forms = new Map<string, string>();
  const plain = value.trim();
  if (plain === '') return forms;
  const small = name.toLowerCase();
  for (const word of [name, small, small.replaceAll('_', '-')])
    for (const between of betweens)
      for (const form of [value, plain, JSON.stringify(plain).slice(1, -1)])
        forms.set(word + between + form, word + between + mark);
  if (plain.length >= shortestAlone) {
    forms.set(`:${plain}@`, `:${mark}@`);
    forms.set(`Bearer ${plain}`, `Bearer ${mark}`);
    for (const form of formsOf(plain)) if (form.length >= shortestEncoded) forms.set(form, mark);
  }
  return new Map([...forms].filter(([form]) => form.length >= shortestSecret));
}

/** Assignments in shells and most languages, JSON, JSON within JSON, YAML, what Python and Ruby print of a map, options. */
const betweens = [
  ...['=', '="', "='", '=\\"', ' = ', ' = "', " = '", ' '],
  ...[': ', ':', ': "', ": '", '":"', '": "', '" : "', "':'", "': '", '\\":\\"', '\\": \\"', '" => "', '"=>"'],
];

/** Of a login in an address, and as it is encoded. */
const shortestAlone = 4;
const shortestEncoded = 8;
