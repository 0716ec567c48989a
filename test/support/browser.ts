import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((place) => existsSync(place));

/** Where there is no browser, its tests are left out; CI has one. */
export const hasBrowser = executablePath !== undefined;

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox', '--disable-gpu'], timeout: 100_000 });
