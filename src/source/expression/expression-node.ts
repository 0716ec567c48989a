/** The part of the CEL library's syntax tree that we look at. */
export interface CelNode {
  readonly op: string;
  args: unknown;
  /** Where the operator or the member name stands; `start` is where the whole node begins. */
  readonly pos: number;
  readonly start: number;
  readonly end: number;
  readonly meta: { readonly evaluate: CelEvaluate };
  setMeta(key: 'evaluate', value: CelEvaluate): unknown;
}

export type CelEvaluate = (evaluator: CelEvaluator, node: CelNode, context: unknown) => unknown;

export interface CelEvaluator {
  run(node: CelNode, context: unknown): unknown;
}

/** Macros that give a name to each item: the name is their first argument. */
const binding = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

export interface NodeVisitor {
  /** `bound`: names that a macro has given. */
  visit(node: CelNode, bound: ReadonlySet<string>): void;
}

/** Goes through a tree from the top, leaving out the names that macros give, and says which of them hold where. */
export function walk(node: CelNode, visitor: NodeVisitor, bound: ReadonlySet<string> = new Set()): void {
  visitor.visit(node, bound);
  if (node.op !== 'rcall') {
    for (const child of children(node)) walk(child, visitor, bound);
    return;
  }
  const [method, receiver, args] = node.args as [string, CelNode, readonly CelNode[]];
  const [first, ...rest] = args;
  const name = first?.op === 'id' ? String(first.args) : undefined;
  if (name !== undefined && receiver.op === 'id' && receiver.args === 'cel' && method === 'bind') {
    walk(rest[0]!, visitor, bound);
    for (const child of rest.slice(1)) walk(child, visitor, new Set([...bound, name]));
    return;
  }
  walk(receiver, visitor, bound);
  if (name !== undefined && binding.has(method)) {
    for (const child of rest) walk(child, visitor, new Set([...bound, name]));
  } else {
    for (const child of args) walk(child, visitor, bound);
  }
}

const children = ({ args }: CelNode): readonly CelNode[] =>
  (Array.isArray(args) ? args.flat(2) : [args]).filter(isNode);

export const isNode = (value: unknown): value is CelNode =>
  typeof value === 'object' && value !== null && 'op' in value;
