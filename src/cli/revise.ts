import { answerGate } from './answer-gate.js';
import type { CliContext } from './context.js';

export const run = (context: CliContext): Promise<number> => answerGate(context, 'revise', 'feedback');
