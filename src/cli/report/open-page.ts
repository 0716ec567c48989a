import { spawn } from 'node:child_process';
import type { CliContext } from '../context.js';

/** Shows a page in the person's browser, without waiting for it. Where there is none, its path has been printed. */
export function openPage(page: string, { stderr }: Pick<CliContext, 'stderr'>): Promise<void> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  return new Promise((resolve) => {
    const child = spawn(program, [page], { stdio: 'ignore', detached: true });
    child.on('error', () => {
      stderr.write(`${program} could not be started; open it yourself: ${page}\n`);
      resolve();
    });
    child.on('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
