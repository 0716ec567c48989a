import { broken, counted, type Row } from './compare.js';
import { shown } from './value.js';

/** The arms side by side, a line a parameter; `≠` marks what differs, `~` what may. */
export function tableLines(arms: readonly string[], rows: readonly Row[]): string[] {
  const cells = [['', 'parameter', ...arms, ''], ...rows.map(cellsOf)];
  const widths = arms.map((_, at) => at + 2).concat(1);
  const width = new Map(widths.map((column) => [column, Math.max(...cells.map((line) => line[column]!.length))]));
  return cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(width.get(column) ?? (column === 0 ? 1 : 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** The same for a report. */
export function markdown(check: string, arms: readonly string[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [
    `# Parity ${check}`,
    '',
    `${verdict(rows)}.`,
    '',
    line(['', 'parameter', ...arms, 'remark']),
    `| --- | --- |${' --- |'.repeat(arms.length + 1)}`,
    ...rows.map((row) => line(cellsOf(row))),
    '',
  ].join('\n');
}

export function verdict(rows: readonly Row[]): string {
  const [all, wrong] = [counted(rows).length, broken(rows).length];
  const excepted = rows.length - all;
  const but = excepted === 0 ? '' : `, ${excepted} excepted`;
  if (wrong > 0) return `${wrong} of ${all} ${all === 1 ? 'parameter differs' : 'parameters differ'}${but}`;
  return `${all} ${all === 1 ? 'parameter is' : 'parameters are'} equal${but}`;
}

/** A difference in a line of its own, for who is to mend it. */
export const rowText = ({ param, values, trouble }: Row, arms: readonly string[]): string =>
  `${param}: ${arms.map((arm, at) => `${cut(shown(values[at]))} in ${arm}`).join(', ')} (${trouble})`;

function cellsOf({ param, values, trouble, except, remark: said = '' }: Row): string[] {
  const mark = except !== undefined ? '~' : trouble === undefined ? '=' : '≠';
  const remark = except !== undefined ? `excepted: ${except}` : (trouble ?? said);
  return [mark, param, ...values.map((value) => cut(shown(value))), remark];
}

const cut = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 59)}…`);

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
