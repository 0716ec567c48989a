import { type CelEvaluate, type CelNode, isNode, walk } from './expression-node.js';

/** Something that went wrong while an expression was evaluated. */
export interface ExpressionFailure {
  readonly error: unknown;
  readonly node: CelNode;
}

/** Thrown by us where the language would go on with a value that nobody means. */
export class NotANumber extends Error {}
export class WholeDivision extends Error {}
export class NeverIn extends Error {}

const arithmetic = new Set(['+', '-', '*', '/', '%', '-_', 'call', 'rcall']);
const watched = new Set([...arithmetic, '==', '!=', '<', '<=', '>', '>=', 'in', '.', '[]', '!_']);

/**
 * Makes an expression fail where CEL would not: on NaN and infinity, which compare as false and so turn true under a
 * `!`, on a division that drops the fraction, and on an error that `||` or `exists` would swallow. The first failure
 * goes to `report`, whatever the rest of the expression makes of it.
 */
export function guard(root: CelNode, report: (failure: ExpressionFailure) => void): void {
  walk(root, {
    visit(node) {
      if (!watched.has(node.op)) return;
      const evaluate = node.meta.evaluate;
      const isIn = membership(evaluate);
      const guarded: CelEvaluate = (evaluator, self, context) => {
        try {
          const value =
            node.op === 'in' ? isIn(evaluator, self, context) : evaluate.call(self, evaluator, self, context);
          if (typeof value === 'number' && !Number.isFinite(value) && arithmetic.has(node.op)) throw new NotANumber();
          if (node.op === '/' && typeof value !== 'number') throw new WholeDivision();
          return value;
        } catch (error) {
          report({ error, node });
          throw error;
        }
      };
      node.setMeta('evaluate', guarded);
    },
  });
}

/** `in` with a list; the language would say that 5 is not in `["5"]` and leave it at that. */
const membership =
  (evaluate: CelEvaluate): CelEvaluate =>
  (evaluator, node, context) => {
    const [left, right] = node.args as [CelNode, CelNode];
    const [value, list] = [evaluator.run(left, context), evaluator.run(right, context)];
    if (!Array.isArray(list) || typeof value === 'object') return evaluate.call(node, evaluator, node, context);
    const [wanted, items] = [plain(value), list.map(plain)];
    if (items.includes(wanted)) return true;
    if (items.length > 0 && !items.some((item) => typeof item === typeof wanted)) throw new NeverIn();
    return false;
  };

const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

/**
 * Whole numbers in the text become what JSON numbers are, so that `3 / 2` is 1.5 and `vars.steps * 2` works. Indexes and
 * arguments of functions stay whole numbers, because those are declared as such. Gives the numbers that do not fit.
 */
export function useJsonNumbers(root: CelNode): readonly CelNode[] {
  const tooLarge: CelNode[] = [];
  const whole = new Set<CelNode>();
  walk(root, {
    visit(node) {
      for (const kept of wholeNumberPlaces(node)) whole.add(kept);
      if (node.op !== 'value' || typeof node.args !== 'bigint' || whole.has(node)) return;
      const value = Number(node.args);
      if (Number.isSafeInteger(value)) node.args = value;
      else tooLarge.push(node);
    },
  });
  return tooLarge;
}

function wholeNumberPlaces({ op, args }: CelNode): readonly CelNode[] {
  if (op === '[]') return [(args as CelNode[])[1]!];
  if (op === 'call' || op === 'rcall') return (args as unknown[]).flat(1).filter(isNode);
  return [];
}
