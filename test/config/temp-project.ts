import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder with these files, gone when the test ends. It has a `.git`, so that no search leads out of it. */
export function tempProject(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'autoresearch-config-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, '.git'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** Everything below a folder with its size and times, to show that nothing was touched. */
export function snapshot(root: string): string[] {
  const below = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      const { size, mtimeMs, ctimeMs } = statSync(path);
      const here = `${relative(root, path)} ${size} ${mtimeMs} ${ctimeMs}`;
      return statSync(path).isDirectory() ? [here, ...below(path)] : [here];
    });
  return [`${statSync(root).mtimeMs}`, ...below(root).sort()];
}
