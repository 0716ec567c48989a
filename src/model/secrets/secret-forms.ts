import { headLength } from './secret-finder.js';

/** How a value may stand in a text: as it is, and as programs write it down. */
export function formsOf(value: string): ReadonlySet<string> {
  const forms = new Set<string>();
  for (const text of [value, value.trim()]) {
    for (const form of [...escapedForms(text), ...base64Forms(text), ...hexForms(text)]) forms.add(form);
  }
  // A key of several lines is met line by line.
  const lines = value.includes('\n') ? value.split(/\r?\n/).map((line) => line.trim()) : [];
  for (const line of lines) {
    if (line.length < shortestLine || line.startsWith('-----')) continue;
    for (const form of escapedForms(line)) forms.add(form);
  }
  return new Set([...forms].filter((form) => form.length >= shortestSecret));
}

/** Shorter ones cannot be told from ordinary words. */
export const shortestSecret = headLength;
const shortestLine = 8;

function escapedForms(text: string): string[] {
  return [text, ...jsonForms(text), ...percentForms(text)];
}

/**
 * JSON as programs write it: with `\u` for nothing, for what is not ASCII (Python), for what would trouble a web page (Go), with
 * `\/` (PHP); or for every letter. And all of it in JSON once more, because what agents print is JSON that quotes what they saw.
 */
function jsonForms(text: string): string[] {
  const plain = inJson(text);
  const ascii = escaped(plain, /[^\x20-\x7e]/g);
  const forWeb = escaped(plain, /[<>&\u2028\u2029]/g);
  const forms = [
    ...[plain, ascii, forWeb, escaped(forWeb, /[^\x20-\x7e]/g)],
    ...[plain.replaceAll('/', '\\/'), ascii.replaceAll('/', '\\/')],
  ];
  const every = isLong(text) ? ascii : escaped(text, /[\s\S]/g);
  for (const form of [ascii, every])
    forms.push(form.replace(/\\u..../g, (code) => `\\u${code.slice(2).toUpperCase()}`));
  return twice([...forms, every]);
}

const twice = (forms: readonly string[]): string[] => forms.flatMap((form) => [form, inJson(form)]);

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Half a character each, as JSON has it. */
const escaped = (text: string, what: RegExp): string =>
  text.replace(what, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Some write the hexadecimal digits small, forms write a blank as `+`, and some also encode what need not be, or everything. */
function percentForms(text: string): string[] {
  const every = isLong(text) ? '' : hexOf(text).replace(/../g, '%$&');
  const forms = [every, every.toUpperCase()];
  const encoded = percentEncoded(text);
  if (encoded === undefined || encoded === text) return forms;
  const strict = encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  for (const form of [encoded, strict]) {
    forms.push(
      form,
      form.replace(/%../g, (code) => code.toLowerCase()),
      form.replaceAll('%20', '+'),
    );
  }
  return forms;
}

/** In one line, in those of `xxd -p`, and as `\x` has it in many languages. */
function hexForms(text: string): string[] {
  const plain = hexOf(text);
  if (isLong(text)) return [plain, plain.toUpperCase()];
  const slashed = plain.replace(/../g, '\\x$&');
  return [
    ...[plain, plain.toUpperCase(), ...piecesOf(plain, 60)],
    ...twice([slashed, slashed.replace(/[a-f]/g, (digit) => digit.toUpperCase())]),
  ];
}

const hexOf = (text: string): string => Buffer.from(text).toString('hex');

function percentEncoded(text: string): string | undefined {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half a character cannot be encoded.
    return undefined;
  }
}

/**
 * Base64 of the value alone, and what its letters are when something stands before or after it, as in `user:value`: the
 * same bits fall on other letters, one of three ways. Programs break it at 76 or 64 letters.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const alone = bytes.toString('base64');
  const forms = [alone, alone.replace(/=+$/, '')];
  for (const before of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const whole = Math.floor((padded.length * 8) / 6);
    const inner = padded.toString('base64').slice(before === 0 ? 0 : before + 1, whole);
    forms.push(inner);
    if (before > 0 || inner.length > longestBroken) continue;
    for (const width of [76, 64]) forms.push(...piecesOf(inner, width));
  }
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

const longestBroken = 16_384;
/** Forms of several letters for each would take longer to make than anybody writes keys. */
const isLong = (text: string): boolean => Buffer.byteLength(text) > longestBroken;

function piecesOf(text: string, width: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; text.length > width && at < text.length; at += width) pieces.push(text.slice(at, at + width));
  return pieces.filter((piece) => piece.length >= shortestLine);
}
