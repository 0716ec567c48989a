import { runInNewContext } from 'node:vm';

/** Name → regular expression, as the config has them. */
export type OwnClasses = { readonly [name: string]: string };

/** All expressions together. Each reads 16 kB at most, so that only one that goes round in circles needs longer. */
const mostMs = 500;

export interface OwnClass {
  readonly name?: string;
  /** Expressions that took too long, and so fit nothing. */
  readonly gaveUp: readonly string[];
}

/** The first of the user's classes, in the order of their names, whose expression fits a text; each looks at all texts. */
export function ownClassOf(own: OwnClasses, texts: readonly string[]): OwnClass {
  let leftMs = mostMs;
  const gaveUp: string[] = [];
  for (const name of Object.keys(own).sort()) {
    const startedAt = performance.now();
    const answer = leftMs > 0 ? fits(own[name]!, texts, Math.ceil(leftMs)) : 'gave up';
    if (answer === true) return { name, gaveUp };
    if (answer === 'gave up') gaveUp.push(name);
    leftMs -= performance.now() - startedAt;
  }
  return { gaveUp };
}

/** Only code in a context of its own can be stopped, and a careless expression may take years. */
function fits(pattern: string, texts: readonly string[], timeout: number): boolean | 'gave up' {
  const code = 'texts.some((text) => new RegExp(pattern, "m").test(text))';
  try {
    return runInNewContext(code, { pattern, texts }, { timeout }) === true;
  } catch {
    // That it is an expression at all was checked with the config.
    return 'gave up';
  }
}
