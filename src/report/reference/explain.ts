import { catalogue, type DiagnosticCode } from '../../model/catalogue/catalogue.js';
import { err, ok, type Result } from '../../model/result.js';
import { didYouMean } from '../../source/did-you-mean.js';
import { paint } from '../words/paint.js';
import { wrapText } from '../words/wrap-text.js';

export interface ExplainOptions {
  readonly color: boolean;
  readonly width?: number;
}

/** What a numbered diagnostic means and how to mend it. `ar201` and `201` are understood too. */
export function explainText(code: string, options: ExplainOptions): Result<string, { message: string; hint?: string }> {
  const wanted = normalised(code);
  if (!isCode(wanted)) {
    const hint = didYouMean(wanted, Object.keys(catalogue));
    return err({
      message: `there is no diagnostic "${code}"`,
      hint: hint ?? 'Codes look like AR201 and stand beside each message',
    });
  }
  const p = paint(options.color);
  const { title, cause, fix } = catalogue[wanted];
  const paragraph = (text: string): string => wrapText(text, options.width ?? 80).join('\n');
  return ok(
    `${p.red(wanted)} ${p.bold(title)}\n\n${paragraph(cause)}\n\n${p.green('To mend it:')}\n${paragraph(fix)}\n`,
  );
}

/** All of them, a line each. */
export function explainList({ color }: ExplainOptions): string {
  const p = paint(color);
  const lines = Object.entries(catalogue).map(([code, { title }]) => `${p.red(code)}  ${title}\n`);
  return `${lines.join('')}\nWhat one means and how to mend it: autoresearch explain CODE\n`;
}

const normalised = (code: string): string => {
  const text = code.trim().toUpperCase();
  return /^\d+$/.test(text) ? `AR${text}` : text;
};

const isCode = (code: string): code is DiagnosticCode => Object.hasOwn(catalogue, code);
