import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Project } from '../support/project.js';

const root = resolve(import.meta.dirname, '../..');
const bin = join(root, 'dist/bin.cjs');

/** A fenced block of a page: ```` ```yaml FILE ```` is a file, `sh` is run, `text` is what the commands before it print. */
export interface Block {
  readonly language: string;
  readonly more: string;
  readonly text: string;
  readonly line: number;
}

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8');

export function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm)].map((found) => ({
    language: found[1]!,
    more: found[2]!.trim(),
    text: found[3]!,
    line: markdown.slice(0, found.index).split('\n').length,
  }));
}

/** Who works in the place of the agents that a page speaks of. */
export interface Who {
  /** Programs on the PATH, by name: scripts that speak as the real ones do. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Agents of the study, by name: scripts that are asked instead when the study is run. */
  readonly agents?: Readonly<Record<string, string>>;
  /** By agent: whose model the script stands for, where the study asks for two families. */
  readonly families?: Readonly<Record<string, string>>;
}

/**
 * Does in a folder of its own what a reader of the page would do: writes its files, runs its commands, one block after another.
 * Answers with what does not go as the page says.
 */
export async function followPage(page: string, project: Project, who: Who = {}): Promise<readonly string[]> {
  const wrong: string[] = [];
  const dir = join(project.dir, 'my-study');
  const programs = join(project.stateHome, 'bin');
  mkdirSync(dir, { recursive: true });
  mkdirSync(programs, { recursive: true });
  put(join(programs, 'npx'), npx(who));
  // Beside a study only npx finds the program, whatever whoever runs the tests has on the PATH.
  put(join(programs, 'autoresearch'), '#!/bin/sh\necho "autoresearch: command not found" >&2\nexit 127\n');
  for (const [name, script] of Object.entries(who.programs ?? {}))
    put(join(programs, name), `#!/bin/sh\nexec "${process.execPath}" "${resolve(root, script)}"\n`);
  let printed = '';
  for (const { language, more, text, line } of blocksOf(readPage(page))) {
    if (language === 'sh') {
      const end = await run(text, dir, { PATH: `${programs}:${process.env.PATH}`, ...environment(project) });
      printed = end.output;
      const expected = Number(/exit=(\d+)/.exec(more)?.[1] ?? 0);
      if (end.code !== expected) wrong.push(`${page}:${line} ended with ${end.code}, not ${expected}:\n${printed}`);
    } else if (language === 'text') {
      if (!timeless(printed).includes(timeless(text)))
        wrong.push(`${page}:${line} is not what is printed:\n${timeless(printed)}`);
    } else if (more !== '') {
      mkdirSync(dirname(join(dir, more)), { recursive: true });
      writeFileSync(join(dir, more), text);
    }
  }
  return wrong;
}

/** The program as the page calls it. A run has other agents, told by a config that git does not see. */
function npx({ agents = {}, families = {} }: Who): string {
  const scripted = Object.entries(agents).map(([name, script]) => [
    name,
    {
      backend: 'command',
      run: `${process.execPath} ${resolve(root, script)}`,
      ...(families[name] === undefined ? {} : { family: families[name] }),
    },
  ]);
  const config = JSON.stringify({ extends: ['./autoresearch.config.yaml'], agents: Object.fromEntries(scripted) });
  const other = `printf '%s' '${config}' > scripted.config.json
  echo scripted.config.json >> .git/info/exclude
  shift
  set -- exec --config scripted.config.json "$@"`;
  return `#!/bin/sh
[ "$1" = autoresearch ] || exit 99
shift
${scripted.length === 0 ? '' : `if [ "$1" = exec ]; then\n  ${other}\nfi\n`}exec "${process.execPath}" "${bin}" "$@"
`;
}

const environment = (project: Project): Readonly<Record<string, string>> => ({
  HOME: project.dir,
  XDG_STATE_HOME: project.stateHome,
  LANG: 'C.UTF-8',
  GIT_AUTHOR_NAME: 'Reader',
  GIT_AUTHOR_EMAIL: 'reader@example.org',
  GIT_COMMITTER_NAME: 'Reader',
  GIT_COMMITTER_EMAIL: 'reader@example.org',
});

function put(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

/** Times, run ids and digests differ from run to run. */
const timeless = (text: string): string =>
  text
    .replace(/\d+(\.\d+)? (ms|s|m|h)\b/g, 'TIME')
    .replace(/\b\d+-[a-z0-9]{4}\b/g, 'RUN')
    .replace(/\b[0-9a-f]{10,64}\b/g, 'DIGEST');

const run = (script: string, cwd: string, env: Readonly<Record<string, string>>) =>
  new Promise<{ code: number; output: string }>((done) => {
    execFile('bash', ['-e', '-c', `exec 2>&1\n${script}`], { cwd, env }, (error, output) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 128) : 0;
      done({ code, output });
    });
  });
