import { chmodSync, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { GitProject } from '../support/git-project.js';
import { type CliEnd, ended } from '../support/project.js';

const here = import.meta.dirname;

/**
 * A study of a preset in a repository of its own: the files of `test/pipelines/NAME/study`, and the recordings of its agents.
 * `scripted` agents are programs of `test/pipelines/NAME/agents` instead; they answer as if they were those of the preset.
 */
export class Study extends GitProject {
  readonly #name: string;
  /** What else the command line gets. */
  env: Readonly<Record<string, string>> = {};

  constructor(name: string, files: Readonly<Record<string, string>> = {}) {
    super({
      '.gitignore': '.autoresearch/\nlogs/\ncassettes/\nscripted.config.json\n/claude\niterations/\ninsights.md\n',
    });
    this.#name = name;
    this.git('rm', '-q', 'a.txt', 'src/b.txt');
    cpSync(join(here, name, 'study'), this.dir, { recursive: true });
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    this.git('add', '.');
    this.git('commit', '-q', '-m', 'the study');
    const cassettes = join(here, name, 'cassettes');
    if (existsSync(cassettes)) cpSync(cassettes, join(this.dir, 'cassettes'), { recursive: true });
  }

  exec(...args: readonly string[]): Promise<CliEnd> {
    return ended(this.start(['exec', '--reporter', 'plain', ...args], this.env));
  }

  /** Puts a program of the study's agents into the project, where git does not see it. */
  install(program: string, as: string, env: Readonly<Record<string, string>> = {}): void {
    const words = Object.entries(env).map(([name, value]) => `${name}=${value} `);
    const run = `exec node ${join(here, this.#name, 'agents', program)}`;
    this.write(as, `#!/bin/sh\n${words.length > 0 ? `export ${words.join('')}\n` : ''}${run}\n`);
    chmodSync(join(this.dir, as), 0o755);
  }

  /** Runs the study with these programs in the place of its agents: name → file, with arguments. */
  execScripted(agents: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CliEnd> {
    const scripted = Object.entries(agents).map(([agent, program]) => [
      agent,
      { backend: 'command', run: `node ${join(here, this.#name, 'agents', program)}` },
    ]);
    this.write(
      'scripted.config.json',
      JSON.stringify({ extends: ['./autoresearch.config.yaml'], agents: Object.fromEntries(scripted) }),
    );
    return this.exec('--config', 'scripted.config.json', ...args);
  }

  /** What went into the journal, of one type. */
  events(type: string): Record<string, unknown>[] {
    return this.journal().filter((event) => event.type === type);
  }
}
