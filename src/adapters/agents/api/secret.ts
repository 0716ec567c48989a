/** Takes a key out of any text. */
export type Hide = (text: string) => string;

/**
 * What is shorter is a word such as `none` for endpoints that want no key, and taking it out of every text would spoil
 * them.
 */
const shortestKey = 6;

export function hideKey(key: string | undefined): Hide {
  if (key === undefined || key.length < shortestKey) return (text) => text;
  const forms = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
  forms.add(Buffer.from(key).toString('base64').replace(/=+$/, ''));
  return (text) => {
    let clean = text;
    for (const form of forms) clean = clean.replaceAll(form, '[redacted]');
    return clean;
  };
}

/** The same in plain data. Done on what was parsed, because JSON has many ways to write one letter. */
export const hideIn = (hide: Hide, value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(hide(JSON.stringify(value)));
