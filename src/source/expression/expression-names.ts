import type { Json } from '../../model/json.js';
import type { TextProblem } from '../../model/text-problem.js';
import { nearest } from '../did-you-mean.js';
import { type CelNode, walk } from './expression-node.js';

/** The names an expression may use. A name whose value is undefined is known, but what lies below it is not. */
export type ExpressionNames = { readonly [name: string]: Json | undefined };

export interface NameFacts {
  /** What the text uses, at most two parts deep: `vars.steps`; `vars` alone means all of them. */
  readonly names: ReadonlySet<string>;
  readonly problems: readonly TextProblem[];
}

/** Looks up every name and every member of one. Without `names` all are taken for known. */
export function checkNames(root: CelNode, names: ExpressionNames | undefined): NameFacts {
  const used = new Set<string>();
  const problems: TextProblem[] = [];
  const members = new Set<CelNode>();
  walk(root, {
    visit(node, bound) {
      const path = pathOf(node);
      if (!path || members.has(node)) return;
      // The inner parts of `a.b.c` are looked at together with the whole.
      for (const part of path.nodes) members.add(part);
      const [first = ''] = path.names;
      if (bound.has(first) || builtIn.has(first)) return;
      used.add(path.names.slice(0, 2).join('.'));
      const problem = names && lookUp(names, path);
      if (problem) problems.push(problem);
    },
  });
  return { names: used, problems };
}

/** The namespace of `cel.bind`, and types, as in `type(vars.x) == string`. */
const builtIn = new Set([
  'cel',
  'bool',
  'bytes',
  'double',
  'dyn',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'type',
  'uint',
]);

interface MemberPath {
  readonly names: readonly string[];
  readonly nodes: readonly CelNode[];
}

/** `a.b`, `a["b"]` and so on, as far as the names stand in the text. */
function pathOf(node: CelNode): MemberPath | undefined {
  if (node.op === 'id') return { names: [String(node.args)], nodes: [node] };
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const [left, right] = node.args as [CelNode, string | CelNode];
  const outer = pathOf(left);
  const name =
    typeof right === 'string' ? right : right.op === 'value' && typeof right.args === 'string' ? right.args : undefined;
  return outer && name !== undefined ? { names: [...outer.names, name], nodes: [...outer.nodes, node] } : undefined;
}

function lookUp(names: ExpressionNames, path: MemberPath): TextProblem | undefined {
  let value: unknown = names;
  for (const [index, name] of path.names.entries()) {
    if (value === undefined) return undefined;
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isMap || !Object.hasOwn(value as object, name)) {
      const known = isMap ? Object.keys(value as object) : [];
      return unknown(path, index, known);
    }
    value = (value as Record<string, unknown>)[name];
  }
  return undefined;
}

function unknown({ names, nodes }: MemberPath, index: number, known: readonly string[]): TextProblem {
  const node = nodes[index]!;
  const near = nearest(names[index]!, known);
  const written = names.slice(0, index + 1).join('.');
  const hint =
    near !== undefined ? `Did you mean "${names.slice(0, index).concat(near).join('.')}"?` : knownHint(known);
  const within: [number, number] = [node.op === 'id' ? node.start : node.pos, node.end];
  return { code: 'AR405', message: `unknown name "${written}"`, ...(hint === undefined ? {} : { hint }), within };
}

const knownHint = (known: readonly string[]): string | undefined =>
  known.length === 0 || known.length > 20 ? undefined : `Known here: ${[...known].sort().join(', ')}`;
