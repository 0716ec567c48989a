import { ratio } from './measure.mjs';

export const sectionText = ({ title, rows, memory }) => (memory ? memoryTable(title, memory) : timeTable(title, rows));

const timeTable = (title, rows) =>
  table(title, [
    ['', 'seconds', 'ratio', 'to'],
    ...rows.map((row) => {
      const measured = row.base === row.name ? undefined : ratio(rows, row.name);
      return [
        row.name,
        row.state === 'ok' ? row.seconds.toFixed(3) : why(row),
        number(measured),
        measured ? row.base : '',
      ];
    }),
  ]);

const memoryTable = (title, rows) =>
  table(title, [
    ['', 'the process, MB', 'with all below it, MB'],
    ...rows.map((row) =>
      row.state === 'ok' ? [row.name, row.ownMb.toFixed(0), row.treeMb.toFixed(0)] : [row.name, why(row), ''],
    ),
  ]);

export const targetsText = (targets) =>
  table('Targets', [
    ['', 'measured', 'limit', ''],
    ...targets.map(({ target, unit, limit, measured }) => [
      target,
      measured === undefined ? 'not measured' : `${number(measured)} ${unit}`,
      limit === undefined ? '' : number(limit),
      verdict({ limit, measured }),
    ]),
  ]);

/** What was not measured was not met. */
export const isMissed = ({ limit, measured }) => limit !== undefined && !(measured <= limit);

const verdict = (target) => (target.limit === undefined ? '' : isMissed(target) ? '**over**' : 'ok');

const why = ({ state, detail }) => (state === 'missing' ? `missing (${detail})` : `failed (${detail.slice(0, 100)})`);

const number = (value) => (value === undefined ? '' : value >= 100 ? value.toFixed(0) : value.toFixed(2));

function table(title, [head, ...rows]) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = `| ${head.map((_, index) => (index === 0 ? '---' : '---:')).join(' | ')} |`;
  return `### ${title}\n\n${[line(head), rule, ...rows.map(line)].join('\n')}\n`;
}
