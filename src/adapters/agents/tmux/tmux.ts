import type { Environment } from '../../command/environment.js';
import { askProgram } from '../../process/ask-program.js';

/** Why tmux could not do it: there is no such program, or what it said. */
export class TmuxError extends Error {
  readonly missing: boolean;

  constructor(message: string, missing = false) {
    super(message);
    this.missing = missing;
  }
}

export interface NewSession {
  readonly name: string;
  readonly run: string;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** Kept with the session for whoever finds it later; no newlines or tabs. */
  readonly note: string;
}

/** The pane in which an agent's program was started; a person may have opened others beside it. */
export interface AgentPane {
  readonly id: string;
  readonly note: string;
  readonly dead: boolean;
  readonly asked: AskedSoFar;
}

/** Kept with the session, because the runner that asked may be gone. */
export interface AskedSoFar {
  /** How many questions in a row were not answered. */
  readonly unanswered: number;
  /** Whether it may still be at work on the last one: nobody has told it to stop. */
  readonly busy: boolean;
}

export interface PaneLook {
  /** Set when the program has ended; empty while it is not yet known how. */
  readonly end?: { readonly exitCode?: number; readonly signal?: string };
  /** What the screen shows and a little of what has left it. */
  readonly text: string;
}

export interface SessionFacts {
  readonly name: string;
  readonly createdAt: number;
  readonly attached: number;
}

/** The one door to the tmux program. Every call is a short-lived client of a server that has a socket of its own. */
export class Tmux {
  readonly socket: string;
  readonly #env: Record<string, string>;

  constructor(socket: string, env: Environment) {
    this.socket = socket;
    // The first client's environment becomes the server's, so it holds nothing that a program could inherit by mistake.
    this.#env = { ...(env.PATH === undefined ? {} : { PATH: env.PATH }), ...serverLocale };
  }

  async start({ name, run, cwd, env, note }: NewSession): Promise<AgentPane> {
    // Through standard input: arguments would show the variables to everybody in the list of processes, for ever.
    const variables = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
    const command = ['/bin/sh', '-c', 'cd "$1" && exec /bin/sh -c "$2"', 'sh', cwd, run];
    const at = ['-t', `=${name}:`];
    const script = [
      ['set-option', '-g', 'remain-on-exit', 'on'],
      ['set-option', '-g', 'history-limit', '20000'],
      ['set-option', '-g', 'automatic-rename', 'off'],
      ...['PATH', ...Object.keys(serverLocale)].map((key) => ['set-environment', '-gu', key]),
      // tmux would expand `#(…)` in a folder's name, so the shell goes there instead.
      ['new-session', '-d', '-s', name, '-x', '200', '-y', '50', '-c', '/', ...variables, '--', ...command],
      ['set-option', ...at, '@autoresearch_note', note],
      ['set-option', '-F', ...at, '@autoresearch_pane', '#{pane_id}'],
    ];
    const lines = script.map((words) => words.map(quoted).join(' '));
    // A server whose last session was just closed is about to leave, and would take a new one along.
    for (let turn = 0; turn < mostStarts; turn += 1) {
      await this.#orNothing(['start-server', ';', 'source-file', '-'], `${lines.join('\n')}\n`);
      const pane = await this.find(name);
      if (pane) return pane;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new TmuxError(`the tmux session ${name} could not be opened`);
  }

  /** Undefined when there is no such session, or when its program's pane was closed. */
  async find(name: string): Promise<AgentPane | undefined> {
    const format = '#{pane_id}\t#{@autoresearch_pane}\t#{pane_dead}\t#{@autoresearch_asked}\t#{@autoresearch_note}';
    const listed = await this.#orNothing(['list-panes', '-s', '-t', `=${name}:`, '-F', format]);
    for (const line of listed.split('\n')) {
      const [id = '', own, dead, asked = '', note = ''] = line.split('\t');
      if (id === '' || id !== own) continue;
      const [unanswered, busy] = asked.split(' ');
      return { id, note, dead: dead === '1', asked: { unanswered: Number(unanswered), busy: busy === 'busy' } };
    }
    return undefined;
  }

  async setAsked(name: string, { unanswered, busy }: AskedSoFar): Promise<void> {
    const value = `${unanswered} ${busy ? 'busy' : 'free'}`;
    await this.#run(['set-option', '-t', `=${name}:`, '@autoresearch_asked', value]);
  }

  /** Undefined when the pane is gone. */
  async look(pane: string): Promise<PaneLook | undefined> {
    const format = '#{pane_dead} #{pane_dead_status} #{pane_dead_signal} #{pid}';
    const capture = ['capture-pane', '-p', '-J', '-S', '-30', '-t', pane];
    const shown = await this.#orNothing(['display-message', '-p', '-t', pane, format, ';', ...capture]);
    if (shown === '') return undefined;
    const [dead, status = '', signal = '', server] = shown.slice(0, shown.indexOf('\n')).split(' ');
    const text = shown.slice(shown.indexOf('\n') + 1);
    if (dead !== '1') return { text };
    if (signal === '' && status === '') nudge(Number(server));
    return { text, end: signal !== '' ? { signal } : status !== '' ? { exitCode: Number(status) } : {} };
  }

  /** As if typed. Nothing in the text is a key's name, and a person's scrolling does not catch it. */
  async type(pane: string, text: string): Promise<void> {
    if (/[\p{Cc}]|;$/u.test(text)) throw new TmuxError('a line with control characters cannot be typed');
    await this.#run([...leaveModes(pane), 'send-keys', '-t', pane, '-l', '--', text]);
  }

  async press(pane: string, key: 'Enter' | 'C-c'): Promise<void> {
    await this.#run([...leaveModes(pane), 'send-keys', '-t', pane, key]);
  }

  async list(): Promise<readonly SessionFacts[]> {
    const format = '#{session_created}\t#{session_attached}\t#{session_name}';
    const listed = await this.#orNothing(['list-sessions', '-F', format]);
    return listed.split('\n').flatMap((line) => {
      const [created, attached, name] = line.split('\t');
      return name ? [{ name, createdAt: Number(created) * 1000, attached: Number(attached) }] : [];
    });
  }

  /** The processes that panes of the session were started with and that still run. */
  async processes(name: string): Promise<readonly number[]> {
    const format = '#{pane_dead} #{pane_pid}';
    const listed = await this.#orNothing(['list-panes', '-s', '-t', `=${name}:`, '-F', format]);
    // The number of a process that has ended may belong to another by now.
    const live = listed.split('\n').filter((line) => line.startsWith('0 '));
    return live.map((line) => Number(line.slice(2))).filter((pid) => pid > 1);
  }

  /** Closes the session; nothing happens when there is none. */
  async close(name: string): Promise<void> {
    await this.#orNothing(['kill-session', '-t', `=${name}`]);
  }

  async #orNothing(args: readonly string[], input = ''): Promise<string> {
    try {
      return await this.#run(args, input);
    } catch (error) {
      if (error instanceof TmuxError && nothingThere.test(error.message)) return '';
      throw error;
    }
  }

  async #run(args: readonly string[], stdin = ''): Promise<string> {
    const answer = await askProgram({
      program: 'tmux',
      // `-f`: no settings of the user's; a hook or another default command there would change what runs.
      args: ['-u', '-f', '/dev/null', '-S', this.socket, ...args],
      ...{ stdin, env: this.#env, cwd: '/', timeoutMs: patienceMs, mostBytes: 1 << 24, rest: 'stays' },
    });
    if (answer.kind === 'not-started') throw new TmuxError(answer.isMissing ? notInstalled : answer.detail, true);
    if (answer.kind === 'timed-out') throw new TmuxError(`tmux did not answer within ${patienceMs / 1000} s`);
    if (answer.kind === 'exited' && answer.exitCode === 0 && !answer.isCut) return answer.stdout;
    const how = answer.kind === 'killed' ? answer.signal : answer.isCut ? 'it said too much' : answer.exitCode;
    throw new TmuxError(answer.stderr.trim() || `tmux failed (${how})`);
  }
}

const notInstalled = 'tmux is not installed; interactive agents need it (Debian and Ubuntu: apt-get install tmux)';

const patienceMs = 10_000;
const mostStarts = 20;

const serverLocale = { LC_CTYPE: 'C.UTF-8' };

const nothingThere =
  /^(?:can't find (?:session|window|pane)|no server running|no sessions|no current target|server exited|lost server|error connecting to .*\((?:No such file or directory|Connection refused)\))/m;

/**
 * tmux 3.3 now and then sleeps through the end of a child (seen for one in seven on a busy machine), which stays a zombie
 * of unknown exit code until the next signal makes it look. Whoever does not expect this signal ignores it.
 */
function nudge(server: number): void {
  try {
    if (server > 1) process.kill(server, 'SIGCHLD');
  } catch {
    // Gone meanwhile: the next look tells.
  }
}

/** A pane that a person has scrolled back takes keys as commands. */
const leaveModes = (pane: string): readonly string[] => ['copy-mode', '-q', '-t', pane, ';'];

/** One word for tmux's own parser that stands for exactly these bytes. */
const quoted = (word: string): string =>
  `"${Buffer.from(word)
    .toString('latin1')
    .replace(/[^\w/.,:@%+= -]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`;
