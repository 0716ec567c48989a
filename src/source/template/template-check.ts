import type { Json } from '../../model/json.js';
import type { TextProblem } from '../../model/text-problem.js';
import type { NamePath, TemplateBlock, TemplateNode } from './template-node.js';
import { isNamed, lookUp, type Named, rootScope, type Scope, type TemplateNames } from './template-scope.js';

export interface TemplateFacts {
  /** What the text uses, at most two parts deep: `vars.steps`, `matrix.seed`, `name`; `vars` alone means all of them. */
  readonly names: ReadonlySet<string>;
  readonly problems: readonly TextProblem[];
}

/** Looks into every branch, also those that would not be taken: a misspelt name must not wait for its day. */
export function checkNodes(nodes: readonly TemplateNode[], names: TemplateNames | undefined): TemplateFacts {
  const checker = new Checker();
  checker.nodes(nodes, names ? rootScope(names) : { value: undefined, path: [] });
  return checker;
}

class Checker implements TemplateFacts {
  readonly names = new Set<string>();
  readonly problems: TextProblem[] = [];

  nodes(nodes: readonly TemplateNode[], scope: Scope): void {
    for (const node of nodes) {
      if (node.kind === 'value') this.#use(node.path, scope);
      else if (node.kind === 'block') this.#block(node, scope);
    }
  }

  #block({ helper, subject, body, otherwise, params }: TemplateBlock, scope: Scope): void {
    const found = this.#find(subject, scope);
    const named = found ?? { value: undefined, path: undefined };
    // `with vars` alone uses no variable; the names inside it do.
    if (helper !== 'with' || (named.path?.length ?? 0) > 1) this.#record(named);
    this.nodes(body, bodyScope({ helper, named, params, scope }));
    this.nodes(otherwise, scope);
  }

  #use(path: NamePath, scope: Scope): void {
    const found = this.#find(path, scope);
    if (found) this.#record(found);
  }

  #find(path: NamePath, scope: Scope): Named | undefined {
    const found = lookUp(scope, path);
    if (isNamed(found)) return found;
    this.problems.push(found);
    return undefined;
  }

  #record({ path }: Named): void {
    if (path && path.length > 0) this.names.add(path.slice(0, 2).join('.'));
  }
}

interface BodyInput {
  readonly helper: TemplateBlock['helper'];
  readonly named: Named;
  readonly params: readonly string[];
  readonly scope: Scope;
}

/** What a block's body sees. For `each` that is the first item, which stands for the others. */
function bodyScope({ helper, named, params, scope }: BodyInput): Scope {
  if (helper === 'if' || helper === 'unless') return scope;
  if (helper === 'with')
    return { ...named, parent: scope, params: new Map(params.slice(0, 1).map((param) => [param, named])) };
  const item: Named = { value: firstOf(named.value), path: named.path && [...named.path, '*'] };
  const data = { index: undefined, key: undefined, first: undefined, last: undefined };
  const second: Named = { value: undefined, path: undefined };
  return {
    ...item,
    parent: scope,
    data,
    params: new Map(params.map((param, index) => [param, index === 0 ? item : second])),
  };
}

const firstOf = (value: Json | undefined): Json | undefined =>
  typeof value === 'object' && value !== null ? (Object.values(value) as Json[])[0] : undefined;
