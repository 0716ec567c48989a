// The table of attacks: one source (test/hostile/attacks.json) for docs/security.md and for `npm run test:hostile`.

const before = '<!-- attacks: made from test/hostile/attacks.json by `npm run generate` -->';
const after = '<!-- /attacks -->';

/** The page with the table as the data says; everything around it stays. */
export function withTable(page, attacks) {
  const [start, end] = [page.indexOf(before), page.indexOf(after)];
  if (start === -1 || end < start) throw new Error(`docs/security.md has no place for the table: ${before} … ${after}`);
  return `${page.slice(0, start)}${before}\n\n${tableOf(attacks)}\n\n${page.slice(end)}`;
}

function tableOf(attacks) {
  const rows = attacks.map(({ attack, plain, fenced }) => `| ${attack} | ${plain} | ${fenced} |`);
  return [
    '| an agent | with `protect` / `scope` | with `sandbox: bwrap` as well |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** `test/cli/x.test.ts > what > does`. */
export const filesOf = (attacks) => [
  ...new Set(attacks.flatMap(({ proof }) => proof.map((name) => name.split(' > ')[0]))),
];

/** What `vitest -t` has to be told so that these tests run and, but for the like-named, no others. */
export function patternOf(attacks) {
  const names = new Set(attacks.flatMap(({ proof }) => proof.map((name) => name.split(' > ').slice(1).join(' '))));
  return `^(?:${[...names].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;
}

/** What a report of vitest says of each attack: it is defeated when each of its tests has run and passed. */
export function judged(attacks, report, root) {
  const status = new Map();
  for (const { name: file, assertionResults } of report.testResults) {
    const path = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
    for (const { ancestorTitles, title, status: how } of assertionResults) {
      const name = [path, ...ancestorTitles, title].join(' > ');
      // Of two tests with one name the worse one counts.
      if (status.get(name) === undefined || how !== 'passed') status.set(name, how);
    }
  }
  return attacks.map((row) => ({
    ...row,
    wrong:
      row.proof.length === 0 ? ['nothing proves it'] : row.proof.flatMap((name) => wrongWith(name, status.get(name))),
  }));
}

function wrongWith(name, status) {
  if (status === 'passed') return [];
  if (status === undefined) return [`does not exist: ${name}`];
  return [`${status === 'failed' ? 'failed' : 'did not run'}: ${name}`];
}

/** The table for a terminal, and how it ended. */
export function shown(rows) {
  const failed = rows.filter(({ wrong }) => wrong.length > 0).length;
  const lines = rows.flatMap(({ attack, plain, fenced, wrong }) => [
    `${wrong.length === 0 ? '✓' : '✗'} ${attack}`,
    `    without a sandbox  ${plain}`,
    `    with bubblewrap    ${fenced}`,
    ...wrong.map((what) => `    ✗ ${what}`),
  ]);
  return { text: [...lines, '', `${rows.length - failed} passed, ${failed} failed`, ''].join('\n'), failed };
}
