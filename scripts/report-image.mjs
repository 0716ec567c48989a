// Takes docs/img/report.png anew: the page of the example research, as a browser shows it. Needs a build, Chromium and a few seconds.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const study = mkdtempSync(join(tmpdir(), 'report-image-'));
try {
  cpSync(join(root, 'autoresearch.config.ts'), join(study, 'autoresearch.config.ts'));
  cpSync(join(root, 'experiment'), join(study, 'experiment'), {
    recursive: true,
    filter: (path) => !path.endsWith('experiment/results'),
  });
  const env = { PATH: process.env.PATH, HOME: study };
  const said = execFileSync(process.execPath, [join(root, 'dist/bin.cjs'), 'exec'], {
    cwd: study,
    env,
    encoding: 'utf8',
  });
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage({ colorScheme: 'light', viewport: { width: 1000, height: 1600 } });
  await page.goto(`file://${said.trimEnd().split('\n').at(-1)}`);
  const { y, height } = await page.locator('#curves figure svg').first().boundingBox();
  const clip = { x: 0, y: 0, width: 1000, height: Math.ceil(y + height) };
  await page.screenshot({ path: join(root, 'docs/img/report.png'), clip });
  await browser.close();
} finally {
  rmSync(study, { recursive: true, force: true });
}
