import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Project } from './project.js';

/** Does as it is told: who is told to use A writes A. */
const coder = `prompt=$(cat); id=\${AUTORESEARCH_TASK#*:}; echo "$id" >> "$NOTES/coder"
method=$(printf '%s' "$prompt" | sed -n 's/.*method \\([AB]\\).*/\\1/p' | head -n 1)
echo "made with \${method:-nothing}" > src/$id.txt
echo '{"outcome":"done","summary":"wrote '$id'"}'`;

export const done = `echo '{"outcome":"done","summary":"method B it is"}'`;
export const useB = `sed -i 's/method A/method B/' design/tasks.yaml`;

export const tasksYaml = `tasks:
  - { id: T0, title: Zero, files: [src/T0.txt], verify: test -s src/T0.txt }
  - { id: T1, title: One, description: use method A, depends_on: [T0], files: [src/T1.txt], verify: grep -q B src/T1.txt }
  - { id: T2, title: Two, depends_on: [T1], files: [src/T2.txt], verify: test -s src/T2.txt }
`;

export interface ReplanSketch {
  readonly planner?: string;
  readonly config?: object;
  readonly stage?: object;
  readonly stages?: object;
  readonly files?: Readonly<Record<string, string>>;
}

/** A study whose task T1 cannot be done as its file says, with an agent that may say otherwise. */
export class ReplanStudy extends Project {
  /** Outside: nobody may write in the checkout while agents work in worktrees. */
  readonly notes = mkdtempSync(join(tmpdir(), 'autoresearch-notes-'));

  constructor({ planner = `${useB}; ${done}`, config, stage, stages, files }: ReplanSketch = {}) {
    super();
    const agent = (name: string) => ({ backend: 'command', run: `./${name}.sh`, limits: { timeout: '120s' } });
    const all = {
      name: 'study',
      agents: { coder: agent('coder'), planner: agent('planner') },
      escalate: ['planner', 'human'],
      stages: {
        ...stages,
        build: { uses: 'tasks', agent: 'coder', with: { from: 'design/tasks.yaml' }, retry: { attempts: 1 }, ...stage },
      },
      ...config,
    };
    const script = (text: string) => `#!/bin/sh\nNOTES=${this.notes}\n${text}\n`;
    const written = {
      'autoresearch.config.json': JSON.stringify(all),
      '.gitignore': '.autoresearch/\nlogs/\n',
      'src/.keep': 'x\n',
      'design/tasks.yaml': tasksYaml,
      'coder.sh': script(coder),
      'planner.sh': script(`cat > "$NOTES/prompt"; echo "$AUTORESEARCH_TASK" >> "$NOTES/planner"\n${planner}`),
      ...files,
    };
    for (const [path, content] of Object.entries(written)) this.write(path, content);
    for (const name of ['coder.sh', 'planner.sh']) chmodSync(join(this.dir, name), 0o755);
    this.git('init', '-q', '-b', 'main');
    this.git('add', '.');
    this.git('commit', '-qm', 'first');
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c'];
    const env = { ...process.env, HOME: this.dir };
    return execFileSync('git', [...identity, ...args], { cwd: this.dir, encoding: 'utf8', env });
  }

  note(name: string): string {
    const file = join(this.notes, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** The tasks that somebody was asked about, in order. */
  asked(name: 'coder' | 'planner'): readonly string[] {
    return this.note(name)
      .trim()
      .split('\n')
      .filter((line) => line !== '');
  }

  exec(...args: string[]) {
    return this.run('exec', '--reporter', 'plain', ...args);
  }

  entries(type: string) {
    return this.journal().filter((entry) => entry.type === type);
  }
}
