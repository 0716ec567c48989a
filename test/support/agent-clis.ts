import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The coding CLIs that the tests talk to. What a newer one does is found out by changing a number here. */
const pinned = {
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.325' },
  codex: { package: '@openai/codex', version: '0.166.0' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0' },
  opencode: { package: 'opencode-ai', version: '1.18.33' },
} as const;

export type CliName = keyof typeof pinned;

/** How long a test has to allow for the first install on a machine. */
export const installMs = 240_000;

const known = new Map<CliName, Promise<string>>();

/** Installs the program once on this machine, outside of the project, and answers with its absolute path. */
export function installCli(name: CliName): Promise<string> {
  let program = known.get(name);
  if (program === undefined) {
    program = install(name);
    known.set(name, program);
  }
  return program;
}

async function install(name: CliName): Promise<string> {
  const home = join(process.env.MACHINE_TMPDIR ?? tmpdir(), `autoresearch-clis-${name}-${pinned[name].version}`);
  const program = join(home, 'node_modules', '.bin', name);
  const busy = `${home}.busy`;
  const deadline = Date.now() + installMs;
  for (let tries = 1; !existsSync(program); ) {
    if (Date.now() > deadline) throw new Error(`${name} could not be installed in time; ${busy} may be left over`);
    if (!takes(busy)) {
      await pause(250);
      continue;
    }
    try {
      if (!existsSync(program)) await installInto(home, name);
    } catch (error) {
      if (tries >= mostTries) throw error;
      await pause(1000 * tries);
      tries += 1;
    } finally {
      rmSync(busy, { recursive: true, force: true });
    }
  }
  return program;
}

const mostTries = 4;

/** A sign on the door, so that two workers do not both download hundreds of megabytes. That of a dead one counts for nothing. */
function takes(busy: string): boolean {
  try {
    mkdirSync(busy);
    writeFileSync(join(busy, String(process.pid)), '');
    return true;
  } catch {
    const since = statSync(busy, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > freshMs && !isHeld(busy)) rmSync(busy, { recursive: true, force: true });
    return false;
  }
}

/** Between the making of the sign and the name on it. */
const freshMs = 2000;

function isHeld(busy: string): boolean {
  try {
    return readdirSync(busy).some((pid) => process.kill(Number(pid), 0));
  } catch {
    return false;
  }
}

/** Whole or not at all: the folder gets its name only when everything is in it. */
async function installInto(home: string, name: CliName): Promise<void> {
  const { package: from, version } = pinned[name];
  const draft = mkdtempSync(`${home}.draft-`);
  try {
    writeFileSync(join(draft, 'package.json'), '{ "private": true }\n');
    const args = ['install', '--prefix', draft, '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    // Not npm's own patience, which is minutes: who calls tries again.
    args.push('--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=5000');
    await run('npm', [...args, `${from}@${version}`], { cwd: draft, env: quietEnvironment(), timeout: 180_000 });
    const { stdout } = await run(join(draft, 'node_modules', '.bin', name), ['--version'], {
      env: { PATH: process.env.PATH, HOME: draft },
      timeout: 60_000,
    });
    if (!stdout.includes(version)) throw new Error(`${name} says that it is ${stdout.trim()}, not ${version}`);
    rmSync(home, { recursive: true, force: true });
    renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const run = promisify(execFile);

/** `npx vitest` tells its children where its own project is; npm would believe that. */
const quietEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(?:registry|cache|https?_proxy)$)/i.test(name)),
  );

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
