import { diffFromCommit } from '../../adapters/kept/evidence-diff.js';
import { openTerminal } from '../../adapters/person/key-press.js';
import { ownUserName } from '../../adapters/person/user-name.js';
import type { GateQuestion } from '../../model/gates/gate.js';
import type { PersonAnswer } from '../../model/gates/gate-answer.js';
import type { Reporter } from '../../model/ports.js';
import type { RunState } from '../../model/state/run-state.js';
import { answeredText, overText, questionText, wordsWanted } from '../../report/gates/gate-question.js';
import { paint } from '../../report/words/paint.js';
import { symbols } from '../../report/words/symbols.js';
import type { GatePorts } from '../../run/gates/gate-ports.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';

export interface AskInput {
  readonly root: string;
  readonly context: CliContext;
  readonly reporter: Reporter;
  state(): RunState | undefined;
}

/** Asks in place of the live view. Only the key for "approve" approves; whatever is not clear is "later". */
export async function askPerson({
  root,
  context,
  reporter,
  state,
}: AskInput): Promise<NonNullable<GatePorts['askPerson']>> {
  const { stdout, env } = context;
  const terminal = openTerminal(process.stdin, process.stdout);
  const style = { p: paint(stdout.color), s: symbols(true) };
  const by = ownUserName();

  const answer = async (question: GateQuestion, aborted: AbortSignal): Promise<PersonAnswer | 'later'> => {
    for (;;) {
      const key = await terminal.key(aborted);
      if (key === undefined || key === 'l' || key === 'L') return 'later';
      const isOnlyWords = question.kind === 'instructions';
      if (!isOnlyWords && (key === 'a' || key === 'A')) return { verdict: 'pass', by };
      const wanted = key === 'r' || key === 'R' ? 'revise' : key === 'x' || key === 'X' ? 'reject' : undefined;
      if (wanted === undefined || (wanted === 'revise' ? question.noRevise !== undefined : isOnlyWords)) continue;
      const text = (await terminal.line(wordsWanted[wanted], aborted))?.trim();
      if (text === undefined) return 'later';
      if (text !== '') return { verdict: wanted, by, text };
      stdout.write(`  ${style.p.dim('Nothing was said, so nothing was done.')}\n`);
    }
  };

  return async (question, aborted) => {
    const diff = await diffFromCommit(
      root,
      question.evidence.map(({ path }) => path),
      env,
    );
    await reporter.pause?.();
    // Where somebody types nothing else is drawn.
    context.progress.hold();
    try {
      if (aborted.aborted) return 'later';
      const { gate, tests } = state()?.tasks.get(question.task) ?? {};
      stdout.write(questionText({ question, before: gate?.before, diff, tests, now: Date.now(), ...style }));
      const said = question.approvers && !question.approvers.includes(by) ? 'later' : await answer(question, aborted);
      const word = said === 'later' ? answeredText.later : answeredText[said.verdict];
      const over = aborted.aborted ? overText(String(aborted.reason), again(context)) : word;
      stdout.write(`${style.p.dim(over)}\n`);
      return said;
    } finally {
      context.progress.goOn();
      reporter.resume?.();
    }
  };
}
