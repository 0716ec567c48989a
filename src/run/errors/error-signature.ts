const longestSignature = 300;

/** What differs from one attempt to the next although the cause is the same. Order counts: a path may hold a date or an address. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]]+/gi, '<url>'],
  [/"(?:[^"\s/\\]{0,200}[/\\])[^"\n]*"|'(?:[^'\s/\\]{0,200}[/\\])[^'\n]*'/g, '<path>'],
  [/(?<![\w<>/\\])(?:[A-Z]:[\\/]|~\/|\.{1,2}\/|\/)[^\s"'<>:;,()[\]|]+/g, '<path>'],
  [/(?<![\w<>/\\])[\w.@-]+(?:[/\\][\w.@+-]+)+/g, '<path>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?: ?(?:Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d\b))?/g, '<time>'],
  [
    /\b(?:[A-Z][a-z]{2},? )?(?:\d\d? [A-Z][a-z]{2}|[A-Z][a-z]{2} {1,2}\d\d?)(?: \d{4})? \d\d:\d\d:\d\d(?: \d{4})?(?: GMT| UTC)?/g,
    '<time>',
  ],
  [/\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/(?<![\w.])[-+]?\d+(?:\.\d+)?e[-+]?\d{1,3}(?!\w)/gi, '<n>'],
  [/(?<![\w.])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/gi, '<hex>'],
  [/(?<![\w.])\d+(?:\.\d+)? ?(?:[KMGTP]i?B|bytes?|B)\b/g, '<size>'],
  [
    /(?<![\w.])(?:\d+(?:\.\d+)? ?(?:ms|us|µs|ns|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)(?![a-zA-Z])[ ,]?){1,4}/g,
    '<duration> ',
  ],
];

/** Numbers that say which kind of error it was, rather than how much or where. */
const telling = /\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?|exit (?:code|status)|error code|errno)\W{0,3}\d{1,5}\b/i;
const number = /[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?/gi;

/**
 * The message without what differs from time to time, so that one cause has one signature however often it is met. A
 * signature is its own signature.
 */
export function signatureOf(line: string): string {
  let text = line;
  // Taking something out may bring two halves together; two or three rounds settle it, and nothing takes more than this.
  for (let round = 0; round < 8; round += 1) {
    const next = onceOver(text);
    if (next === text) break;
    text = next;
  }
  return text;
}

function onceOver(line: string): string {
  let text = line;
  for (const [pattern, word] of varying) text = text.replace(pattern, word);
  return withoutNumbers(text)
    .replace(/<n>(?:\s?[,x×*;:./-]\s?<n>)+/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, longestSignature)
    .trim();
}

/** All numbers but those that name the error. */
function withoutNumbers(text: string): string {
  let rest = text;
  let done = '';
  for (let match = telling.exec(rest); match; match = telling.exec(rest)) {
    done += rest.slice(0, match.index).replace(number, '<n>') + match[0];
    rest = rest.slice(match.index + match[0].length);
  }
  return done + rest.replace(number, '<n>');
}
