import { err, ok, type Result } from '../../model/result.js';
import type { TextProblem } from '../../model/text-problem.js';
import { nearest } from '../did-you-mean.js';
import { type BlockHelper, blockHelpers, type NamePath, type TemplateNode } from './template-node.js';
import { offsetOf, type StoppedAt, SyntaxStop, syntaxProblem } from './template-syntax-problem.js';

export type ParseTemplate = (text: string) => Result<readonly TemplateNode[], readonly TextProblem[]>;

/**
 * The only door to Handlebars. It gives the grammar, with its white-space rules; what a name means is decided by us,
 * because Handlebars cannot say where in the text an unknown name stands, and compiles each text into a program.
 */
export async function loadGrammar(): Promise<ParseTemplate> {
  const { default: handlebars } = await import('handlebars');
  reportPositions(handlebars);
  return (text) => {
    const problems: TextProblem[] = [];
    const deep = tooDeep(text);
    if (deep) return err([deep]);
    try {
      const nodes = new Translator(text, problems).program(handlebars.parse(text));
      return problems.length > 0 ? err(problems) : ok(nodes);
    } catch (error) {
      return err([syntaxProblem(text, error)]);
    }
  };
}

/** The parser calls itself for each block in a block, and takes ever longer for it. */
function tooDeep(text: string): TextProblem | undefined {
  let depth = 0;
  for (const { index, 1: sign } of text.matchAll(/\{\{~?\s*([#/])/g)) {
    depth += sign === '#' ? 1 : -1;
    if (depth > mostBlocks)
      return {
        code: 'AR401',
        message: `more than ${mostBlocks} blocks are inside of each other`,
        hint: 'Make the text of fewer of them',
        within: [index, index + 3],
      };
  }
  return undefined;
}

const mostBlocks = 50;

/** The parser knows the place of a mistake but only puts a drawing of it into its message. */
function reportPositions(handlebars: unknown): void {
  const { Parser } = handlebars as { Parser: { parseError: unknown; lexer: { yylloc: StoppedAt } } };
  Parser.parseError = (_message: string, { token }: { token: string | null }) => {
    throw new SyntaxStop(token, Parser.lexer.yylloc);
  };
}

/** Handlebars' tree → ours, refusing what is not allowed. */
class Translator {
  #text: string;
  #problems: TextProblem[];

  constructor(text: string, problems: TextProblem[]) {
    this.#text = text;
    this.#problems = problems;
  }

  program(program: hbs.AST.Program | undefined): readonly TemplateNode[] {
    return (program?.body ?? []).flatMap((statement) => this.#statement(statement) ?? []);
  }

  #statement(statement: hbs.AST.Statement): TemplateNode | undefined {
    switch (statement.type) {
      case 'ContentStatement':
        return { kind: 'text', text: (statement as hbs.AST.ContentStatement).value };
      case 'MustacheStatement':
        return this.#mustache(statement as hbs.AST.MustacheStatement);
      case 'BlockStatement':
        return this.#block(statement as hbs.AST.BlockStatement);
      case 'CommentStatement':
        return undefined;
      default:
        this.#refuse(statement, 'partials and decorators are not available in templates');
        return undefined;
    }
  }

  #mustache({ path, params, hash, escaped }: hbs.AST.MustacheStatement): TemplateNode | undefined {
    const name = this.#path(path);
    if (name && (params.length > 0 || hash)) {
      const isBlock = (blockHelpers as readonly string[]).includes(name.written);
      this.#refuse(
        path,
        `unknown helper "${name.written}"`,
        isBlock ? `Write {{#${name.written} …}} … {{/${name.written}}}` : only,
      );
      return undefined;
    }
    return name && { kind: 'value', path: name, raw: !escaped };
  }

  #block({ path, params, hash, program, inverse }: hbs.AST.BlockStatement): TemplateNode | undefined {
    const helper = this.#written(path);
    const body = this.program(program);
    const otherwise = this.program(inverse);
    if (!isBlockHelper(helper)) {
      const near = nearest(helper, blockHelpers);
      const hint =
        params.length === 0
          ? `Write {{#each ${helper}}} or {{#if ${helper}}}`
          : near
            ? `Did you mean "${near}"?`
            : only;
      this.#refuse(path, `unknown helper "${helper}"`, hint);
      return undefined;
    }
    const [subject, extra] = params;
    if (!subject || extra || hash) {
      this.#refuse(extra ?? hash ?? path, `"${helper}" takes one name`);
      return undefined;
    }
    const name = this.#path(subject);
    const names = program?.blockParams ?? [];
    return name && { kind: 'block', helper, subject: name, body, otherwise, params: names };
  }

  #path(node: hbs.AST.Node): NamePath | undefined {
    if (node.type !== 'PathExpression') {
      this.#refuse(node, `${this.#written(node)} is not a name`, 'Only names can stand in a template');
      return undefined;
    }
    const { parts, depth, data, original } = node as hbs.AST.PathExpression;
    const scoped = /^(?:\.\/|\.$|this\b)/.test(original);
    return { parts, depth, data, scoped, written: this.#written(node), within: this.#range(node) };
  }

  #refuse(node: hbs.AST.Node, message: string, hint?: string): void {
    this.#problems.push({ code: 'AR402', message, ...(hint === undefined ? {} : { hint }), within: this.#range(node) });
  }

  #range({ loc }: hbs.AST.Node): [number, number] {
    return [offsetOf(this.#text, loc.start.line, loc.start.column), offsetOf(this.#text, loc.end.line, loc.end.column)];
  }

  #written(node: hbs.AST.Node): string {
    return this.#text.slice(...this.#range(node));
  }
}

const only = `Templates have ${blockHelpers.join(', ')} and nothing else`;

const isBlockHelper = (name: string): name is BlockHelper => (blockHelpers as readonly string[]).includes(name);
