import { isJsonObject, type Json } from '../../../model/json.js';
import { redact } from '../../../model/secrets/redact.js';

/** Takes secrets out of what is kept. Cassettes are shared with other labs. */
export interface Hider {
  /** For prompts, settings, replies: rather a harmless word too many than a secret. */
  words(text: string): string;
  json(value: Json): Json;
  /** For a file's text, which has to work afterwards: only what is known to be a secret, or looks like nothing else. */
  file(text: string): string;
  /** Bytes cannot be mended, only refused. */
  isIn(bytes: Buffer): boolean;
}

export function hiderOf(hide: (text: string) => string): Hider {
  const words = (text: string): string => redact(hide(text));
  const file = (text: string): string => withoutLiterals(withoutKeys(hide(text)));
  const json = (value: Json): Json => {
    if (typeof value === 'string') return words(value);
    if (Array.isArray(value)) return value.map(json);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [words(key), isSecretName(key, item) ? hidden : json(item)]),
    );
  };
  const isIn = (bytes: Buffer): boolean =>
    (['latin1', 'utf8', 'utf16le'] as const).some((encoding) => {
      const text = bytes.toString(encoding);
      return withoutKeys(hide(text)) !== text;
    });
  return { words, json, file, isIn };
}

const hidden = '[redacted]';

const isSecretName = (key: string, value: Json): boolean =>
  typeof value === 'string' && redact(`"${key}": "x"`) !== `"${key}": "x"`;

/**
 * Word by word, so that `key = make(x)` stays the code that it is. Only words that begin as keys do: looking closely at
 * megabytes of base64 would take seconds. All repetitions have an end, because a pattern without one can fill the stack.
 */
const withoutKeys = (text: string): string =>
  text.replace(/\b(?:[A-Za-z]{2,12}[_-]|A(?:KIA|SIA|Iza)|eyJ)[\w.~+/-]{8,100000}/g, (word) => redact(word));

const withoutLiterals = (text: string): string =>
  literals.reduce((plain, literal) => plain.replace(literal, (found) => redact(found)), text);

const literals = [
  // password = "…"
  /\b[\w-]{0,60}(?:secret|password|passwd|pwd|credentials?)["']? ?[=:] ?(["'])[^"'\n]{6,100000}\1/gi,
  // api_key = "…" with letters and digits, but not sort_key = "name" or pad_token = "<pad>"
  /\b[\w-]{0,60}(?:token|(?:api|access|account|auth|private|secret|signing)[_-]?key)["']? ?[=:] ?(["'])(?=[^"'\n]{0,99}\d)(?=[^"'\n]{0,99}[A-Za-z])[\w.~+/=:-]{8,100000}\1/gi,
  // HF_TOKEN=… as in a shell, but not sorted(key=…)
  /\b[A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD)=(?![$<{(\s])[^\s,;&"')}]{6,100000}/g,
  /\b(?:Bearer|Basic) +[\w.~+/=-]{16,100000}/gi,
  // https://me:…@host
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:[^\s/@]{1,200}@/gi,
];
