import { exitCode } from '../../model/exit-code.js';
import { explainList, explainText } from '../../report/reference/explain.js';
import type { CliContext } from '../context.js';
import { refuse } from '../refuse.js';

export async function run(context: CliContext): Promise<number> {
  const [code] = context.positionals;
  if (code === undefined) {
    context.stdout.write(explainList({ color: context.stdout.color }));
    return exitCode.passed;
  }
  const text = explainText(code, { color: context.stdout.color });
  if (!text.ok)
    return refuse(
      [
        {
          code: 'AR604',
          message: text.error.message,
          at: { kind: 'argument', argument: code },
          ...(text.error.hint ? { hint: text.error.hint } : {}),
        },
      ],
      context,
    );
  context.stdout.write(text.value);
  return exitCode.passed;
}
