import type { Answer } from '../../adapters/person/dashboard-server.js';
import { FailureError } from '../../model/failure.js';
import type { Verdict } from '../../model/gates/gate.js';
import { failureText } from '../../report/failures/failure-text.js';
import type { CliContext } from '../context.js';
import { answerGate } from '../gates/answer-gate.js';
import type { RouteTools } from './run-watch.js';

const options: Record<Verdict, string> = { pass: 'note', revise: 'feedback', reject: 'reason' };

/** Goes the way that `approve`, `revise` and `reject` go, with all of their checks, about the question that was shown. */
export async function sendAnswer(body: unknown, { watch }: RouteTools): Promise<Answer> {
  const { agent, run, task, question, verdict, text } = body as { readonly [name: string]: unknown };
  const words = [agent, run, task, question, verdict, text];
  if (!words.every((word) => typeof word === 'string') || !Object.hasOwn(options, verdict as string))
    return said('This is no answer.', 400);
  if (!watch.find(agent as string, run as string)) return said('There is no such run.', 404);
  const values = new Map([
    ['run', run],
    ['question', question],
    ...(text === '' ? [] : [[options[verdict as Verdict], text] as const]),
  ] as readonly (readonly [string, string])[]);
  const told: string[] = [];
  const output = { ...watch.context.stdout, color: false, isTty: false, write: (part: string) => void told.push(part) };
  const context: CliContext = {
    ...watch.context,
    agentId: agent as string,
    positionals: [task as string],
    quiet: false,
    flag: () => false,
    value: (name) => values.get(name),
    values: () => [],
    stdout: output,
    stderr: output,
  };
  try {
    const code = await answerGate(context, verdict as Verdict, options[verdict as Verdict]);
    return said(told.join('').trim(), code === 0 ? 200 : 409);
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return said(failureText(error.failure), 409);
  }
}

const said = (text: string, status: number): Answer => ({ kind: 'text', type: 'text/plain', text, status });
