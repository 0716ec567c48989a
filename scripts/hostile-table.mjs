// Does every attack of test/hostile/attacks.json for real, and prints the table of docs/security.md with how each ended. Exits 1
// when a test that a row names has failed, did not run or does not exist.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesOf, judged, patternOf, shown } from './hostile-rows.mjs';

const attacks = JSON.parse(readFileSync('test/hostile/attacks.json', 'utf8'));
const dir = mkdtempSync(join(tmpdir(), 'autoresearch-hostile-'));
try {
  const file = join(dir, 'report.json');
  const args = ['run', '--reporter=dot', '--reporter=json', `--outputFile.json=${file}`, '-t', patternOf(attacks)];
  const vitest = ['node_modules/vitest/vitest.mjs', ...args, ...filesOf(attacks)];
  // Dots while one waits, and what failed, for people; the table alone goes to stdout.
  const { error } = spawnSync(process.execPath, vitest, { stdio: ['ignore', 2, 2] });
  if (error) throw error;
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] };
  const { text, failed } = shown(judged(attacks, report, process.cwd()));
  process.stdout.write(text);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
