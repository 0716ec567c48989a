import type { Json } from '../../model/json.js';
import { err, ok, type Result } from '../../model/result.js';
import type { TextProblem } from '../../model/text-problem.js';
import { checkNodes } from './template-check.js';
import type { ParseTemplate } from './template-grammar.js';
import { hasTemplate, type TemplateNode } from './template-node.js';
import { kindOf, type Piece, renderNodes, type ValuePiece } from './template-render.js';
import type { TemplateNames } from './template-scope.js';
import { shellText } from './template-shell.js';
import { parseSimple } from './template-simple.js';

/** Strict templates: an unknown name is a problem with a place, never an empty string. */
export interface Templates {
  /** Looks at the whole text, also at branches that would not be taken. Without `names` every name is taken for known. */
  check(text: string, names?: TemplateNames): Result<TemplateUse, readonly TextProblem[]>;
  /** A text that is nothing but one value keeps that value's type; all others become text. */
  render(
    text: string,
    names: TemplateNames,
    options: { readonly mode: TemplateMode },
  ): Result<Rendered, readonly TextProblem[]>;
  /** As `render`, for files: the answer is always text. */
  renderText(text: string, names: TemplateNames): Result<string, readonly TextProblem[]>;
}

/** `shell`: values are quoted for the place in the shell text where they stand. */
export type TemplateMode = 'plain' | 'shell';

export interface TemplateUse {
  /** `vars.steps`, `matrix.seed`, `name`; `vars` alone means all of them. */
  readonly names: ReadonlySet<string>;
}

export interface Rendered {
  readonly value: Json;
  /** Names of the raw values that went into shell text. */
  readonly raw: readonly string[];
}

/**
 * Templates for the given texts, or for any text when none are given. Handlebars is only loaded when a text needs more
 * of its grammar than plain names.
 */
export async function loadTemplates(texts?: Iterable<string>): Promise<Templates> {
  if (texts && ![...texts].some(needsGrammar)) return new CachedTemplates(undefined);
  const { loadGrammar } = await import('./template-grammar.js');
  return new CachedTemplates(await loadGrammar());
}

const needsGrammar = (text: string): boolean => hasTemplate(text) && parseSimple(text) === undefined;

type Parsed = Result<readonly TemplateNode[], readonly TextProblem[]>;

class CachedTemplates implements Templates {
  #grammar: ParseTemplate | undefined;
  #parsed = new Map<string, Parsed>();

  constructor(grammar: ParseTemplate | undefined) {
    this.#grammar = grammar;
  }

  check(text: string, names?: TemplateNames): Result<TemplateUse, readonly TextProblem[]> {
    const parsed = this.#parse(text);
    if (!parsed.ok) return parsed;
    const facts = checkNodes(parsed.value, names);
    return facts.problems.length > 0 ? err(facts.problems) : ok({ names: facts.names });
  }

  render(
    text: string,
    names: TemplateNames,
    { mode }: { readonly mode: TemplateMode },
  ): Result<Rendered, readonly TextProblem[]> {
    const pieces = this.#pieces(text, names);
    if (!pieces.ok) return pieces;
    if (mode === 'plain') {
      const value = this.#isOneValue(text) ? ok((pieces.value[0] as ValuePiece).value) : plainText(pieces.value);
      return value.ok ? ok({ value: value.value, raw: [] }) : value;
    }
    const shell = shellText(pieces.value);
    if (!shell.ok) return shell;
    const raw = pieces.value.flatMap((piece) => (isValue(piece) && piece.raw ? [piece.path.written] : []));
    return ok({ value: shell.value, raw });
  }

  renderText(text: string, names: TemplateNames): Result<string, readonly TextProblem[]> {
    const pieces = this.#pieces(text, names);
    return pieces.ok ? plainText(pieces.value) : pieces;
  }

  #pieces(text: string, names: TemplateNames): Result<readonly Piece[], readonly TextProblem[]> {
    const parsed = this.#parse(text);
    if (!parsed.ok) return parsed;
    const { pieces, problems } = renderNodes(parsed.value, names);
    return problems.length > 0 ? err(problems) : ok(pieces);
  }

  #isOneValue(text: string): boolean {
    const parsed = this.#parse(text);
    return parsed.ok && parsed.value.length === 1 && parsed.value[0]?.kind === 'value';
  }

  #parse(text: string): Parsed {
    let parsed = this.#parsed.get(text);
    if (parsed === undefined) {
      const simple = hasTemplate(text) ? parseSimple(text) : [{ kind: 'text', text } as const];
      if (!simple && !this.#grammar) throw new Error('templates were not loaded for this text');
      parsed = simple ? ok(simple) : this.#grammar!(text);
      this.#parsed.set(text, parsed);
    }
    return parsed;
  }
}

/** As `renderText`, for a text that was parsed ahead. */
export function renderParsed(
  nodes: readonly TemplateNode[],
  names: TemplateNames,
): Result<string, readonly TextProblem[]> {
  const { pieces, problems } = renderNodes(nodes, names);
  return problems.length > 0 ? err(problems) : plainText(pieces);
}

const isValue = (piece: Piece | undefined): piece is ValuePiece => typeof piece === 'object';

function plainText(pieces: readonly Piece[]): Result<string, readonly TextProblem[]> {
  const problems: TextProblem[] = [];
  let text = '';
  for (const piece of pieces) {
    if (!isValue(piece)) text += piece;
    else if (typeof piece.value === 'object') problems.push(notText(piece));
    else text += String(piece.value);
  }
  return problems.length > 0 ? err(problems) : ok(text);
}

function notText({ path, value }: ValuePiece): TextProblem {
  const hint =
    value === null ? undefined : `Let it be the whole value, or go through it with {{#each ${path.written}}}`;
  return {
    code: 'AR408',
    message: `"${path.written}" is ${kindOf(value)}, which cannot stand inside text`,
    ...(hint === undefined ? {} : { hint }),
    within: path.within,
  };
}
