import type { Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { nearest } from '../../source/did-you-mean.js';
import type { Templates } from '../../source/template/template.js';
import { hasTemplate } from '../../source/template/template-node.js';
import type { Problems } from '../problems.js';

interface UsedBy {
  readonly templates: Templates;
  /** Names that expressions use. */
  readonly expressions: readonly string[];
  readonly userVars: ReadonlySet<string>;
}

/** A variable that nothing uses is a misspelling somewhere, or left over. */
export function checkUnusedVars(
  config: Config,
  { templates, expressions, userVars }: UsedBy,
  problems: Problems,
): void {
  if (userVars.size === 0) return;
  const used = new Set(expressions);
  const { vars, ...rest } = config;
  for (const text of templatesIn(rest)) {
    const use = templates.check(text);
    for (const name of use.ok ? use.value.names : mentionedVars(text)) used.add(name);
  }
  if (used.has('vars')) return;
  for (const name of Object.keys(vars ?? {})) {
    if (!userVars.has(name) || used.has(`vars.${name}`)) continue;
    const wanted = [...used].filter((other) => other.startsWith('vars.')).map((other) => other.slice(5));
    const near = nearest(
      name,
      wanted.filter((other) => !Object.hasOwn(vars ?? {}, other)),
    );
    problems.add({
      code: 'AR307',
      message: `nothing uses the variable "${name}"`,
      at: { kind: 'config', pointer: pointerOf('vars', name), key: true },
      hint:
        near === undefined
          ? `Use it as {{vars.${name}}}, or take it out`
          : `vars.${near} is used, and there is no such variable: the two should have one name`,
    });
  }
}

/** What a text that cannot be read would probably have used; it has been complained about, and that is enough. */
export const mentionedVars = (text: string): readonly string[] => text.match(/\bvars\b(?:\.\w+)?/g) ?? [];

/** Variables are values, not texts to fill in: a template in one would stay as it is. */
export function checkPlainVars(config: Config, problems: Problems): void {
  for (const [name, value] of Object.entries(config.vars ?? {})) {
    for (const [index, item] of (Array.isArray(value) ? value : [value]).entries()) {
      if (typeof item !== 'string' || !hasTemplate(item)) continue;
      const path = Array.isArray(value) ? ['vars', name, index] : ['vars', name];
      problems.add({
        code: 'AR407',
        message: 'a variable cannot hold a template',
        at: { kind: 'config', pointer: pointerOf(...path) },
        hint: 'Write the value itself, and put the parts together where it is used',
      });
    }
  }
}

/** Every text of a config that is a template. */
export function templatesIn(value: unknown, found: string[] = []): readonly string[] {
  if (typeof value === 'string') {
    if (hasTemplate(value)) found.push(value);
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) templatesIn(value[index], found);
  } else if (typeof value === 'object' && value !== null) {
    // Not a list of its keys: a study may have ten thousand stages, and this looks at every value of each.
    for (const key in value) {
      if (hasTemplate(key)) found.push(key);
      templatesIn((value as Record<string, unknown>)[key], found);
    }
  }
  return found;
}
