import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { displayWidth } from '../../src/report/words/text-width.js';
import { golden } from './golden.js';
import { Screen } from './screen.js';

/** script(1) of util-linux gives a program a terminal of its own. */
const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

describe.skipIf(!hasTerminal)('at a real terminal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tree-pty-'));
  let output = '';

  beforeAll(() => {
    const driver = join(folder, 'driver.mjs');
    buildSync({
      entryPoints: [fileURLToPath(new URL('tree-driver.ts', import.meta.url))],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: driver,
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    const command = `stty cols 80 rows 16; exec '${process.execPath}' '${driver}'`;
    // Without what test runners and CI set, which would change what the terminal is taken for.
    output = execFileSync('script', ['-qec', command, '/dev/null'], {
      env: { PATH: process.env.PATH, TERM: 'xterm-256color', SHELL: '/bin/sh' },
      timeout: 100_000,
    })
      .toString()
      .replaceAll('\r\n', '\n');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What was drawn, one text for each time, without what stands before and after. */
  const frames = (): string[][] =>
    output
      .slice(0, output.lastIndexOf('\u001B[?25h✓'))
      .split(/(?:\u001B\[2K(?:\u001B\[1A)?)+\u001B\[G/)
      .map((frame) =>
        frame
          .replace(/\u001B\[[?\d;]*[A-Za-z]/g, '')
          .replace(/\n$/, '')
          .split('\n'),
      );

  test('leaves a line for each task, and nothing of the view', async () => {
    const screen = new Screen(80, 16);
    screen.write(output);
    await golden('tree-left-behind.txt', `${screen.text}\n`);
    expect(screen.cursorVisible).toBe(true);
  });

  test('goes on after an interrupt: listr2 does not end the process', () => {
    expect(output).toContain('after close, interrupted');
    expect(frames().at(-2)?.at(-1)).toMatch(/^Stopping because of SIGINT/);
  });

  test('fits the window, also after it was made smaller', () => {
    const all = frames().filter((lines) => lines.some((line) => line.includes(' done ')));
    expect(all.length).toBeGreaterThan(8);
    for (const lines of all) {
      expect(lines.length).toBeLessThan(16);
      for (const line of lines) expect(displayWidth(line)).toBeLessThan(80);
    }
    const late = all.slice(-3);
    for (const lines of late) {
      expect(lines.length).toBeLessThan(8);
      for (const line of lines) expect(displayWidth(line)).toBeLessThan(50);
    }
  });

  test('nothing is written after close but the cursor', () => {
    const after = output.slice(output.indexOf('after close'));
    expect(after.replaceAll('\u001B[?25h', '')).toBe('after close, interrupted\n');
  });
});
