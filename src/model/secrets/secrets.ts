import { literal, nameMatcher } from '../variable-globs.js';
import { redact } from './redact.js';
import { secretFinder } from './secret-finder.js';
import { formsOf, shortestSecret } from './secret-forms.js';
import { loginsIn, looksSecret } from './secret-name.js';
import { shortForms } from './short-secret.js';

/** The variables whose values must appear nowhere. */
export interface Secrets {
  readonly names: readonly string[];
  /** Every way in which a value may be written, and what stands there instead. */
  readonly marks: ReadonlyMap<string, string>;
  /** The text with `[secret NAME]` for each value, and without what else looks like a key or a password. */
  hide(text: string): string;
  /** The values alone: for texts that are read by programs, which what merely looks like a key may be part of. */
  hideValues(text: string): string;
  /** Of the longest form: so much may be left of a value at the front of a text that was cut. */
  readonly longest: number;
  /** Those of these variables only. */
  of(names: Iterable<string>): Secrets;
}

/** What is secret of an environment: what its name tells, an address with a login in it, and what the config names. */
export function secretsOf(
  env: { readonly [name: string]: string | undefined },
  configured: readonly string[] = [],
): Secrets {
  const isSecret = secretMatcher(configured);
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && value.trim() !== '' && isSecret(name, value)) values.set(name, value);
  }
  return secretsAmong(values);
}

/** By name and value. */
export function secretMatcher(configured: readonly string[]): (name: string, value: string) => boolean {
  const isConfigured = nameMatcher(configured);
  return (name, value) => looksSecret(name) || isConfigured(name) || loginsIn(value).length > 0;
}

export const secretMark = (name: string): string => `[secret ${name}]`;

function secretsAmong(values: ReadonlyMap<string, string>): Secrets {
  const names = [...values.keys()];
  const of = (wanted: Iterable<string>): Secrets => {
    const chosen = new Set(wanted);
    return secretsAmong(new Map([...values].filter(([name]) => chosen.has(name))));
  };
  if (names.length === 0) return { names, marks: new Map(), longest: 0, hide: redact, hideValues: (text) => text, of };
  const known = allMarks(values);
  const { replace: hideValues, longest } = secretFinder(known);
  // In between only: `KEY=[secret KEY]` says all there is to say.
  const shown = new RegExp(`(${names.map(secretMark).map(literal).join('|')})`);
  const hide = (text: string): string =>
    hideValues(text)
      .split(shown)
      .map((part, index) => (index % 2 === 1 ? part : redact(part)))
      .join('');
  return { names, marks: known, longest, hide, hideValues, of };
}

/** The first of two variables with the same value gives it its name. */
function allMarks(values: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const marks = new Map<string, string>();
  const add = (form: string, mark: string): void => void (marks.has(form) || marks.set(form, mark));
  for (const [name, value] of values) {
    if (value.length < shortestSecret) {
      for (const [form, mark] of shortForms(name, value, secretMark(name))) add(form, mark);
      continue;
    }
    const parts = loginsIn(value).flatMap((login) => [login, login.slice(login.indexOf(':') + 1)]);
    for (const part of [value, ...parts, ...parts.map(decoded)]) {
      for (const form of formsOf(part)) add(form, secretMark(name));
    }
  }
  return marks;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
