import type { Environment } from '@marcbachmann/cel-js';

/** The door of the CEL package, which is only read when a config has an expression. */
export async function loadLanguage(names: readonly string[]): Promise<Environment> {
  const { Environment } = await import('@marcbachmann/cel-js');
  const environment = new Environment({ unlistedVariablesAreDyn: false });
  for (const name of names) environment.registerVariable(name, 'dyn');
  // Numbers in data are doubles and whole numbers in expressions are ints. CEL refuses to mix them, which nobody who writes
  // `vars.steps * 2` expects, so the mixed operators are added.
  for (const [left, right] of [['double', 'int'], ['int', 'double']] as const) {
    for (const [sign, calculate] of Object.entries(arithmetic)) {
      environment.registerOperator(`${left} ${sign} ${right}`, (a: number | bigint, b: number | bigint) => calculate(Number(a), Number(b)));
    }
  }
  return environment;
}

const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};
