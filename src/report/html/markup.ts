/** Text that is HTML already. Everything else is escaped where it is put in, so nobody can forget to. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Content = Markup | string | number | undefined | false | readonly Content[];

export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(parts.map((part, index) => (index === 0 ? part : textOf(values[index - 1]) + part)).join(''));
}

export const joined = (items: readonly Content[], between = ''): Markup => new Markup(items.map(textOf).join(between));

export const noMarkup = new Markup('');

function textOf(value: Content): string {
  if (value instanceof Markup) return value.text;
  if (value === undefined || value === false) return '';
  if (typeof value === 'object') return value.map(textOf).join('');
  return escaped(String(value));
}

/** For text and for attributes in double quotes. What would move the cursor or turn the direction of reading goes. */
export const escaped = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** A relative address of a file. It can be no other scheme, host or page, whatever the file is called. */
export const fileHref = (folder: string, path: string): string =>
  `${folder}/${path}`
    .split('/')
    .map((part) => (part === '..' || part === '.' ? part : encodeURIComponent(part)))
    .join('/')
    .replace(/^\/+/, './');
