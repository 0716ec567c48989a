import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SecretFinder, secretFinder } from '../../model/secrets/secret-finder.js';
import { LogPipe } from './log-pipe.js';
import { type FromScribe, lineReader, type ToScribe } from './scribe-words.js';

/**
 * The scribe: a process of its own that stands between commands and their logs, and lets no value of a secret through. It
 * outlives a runner that is killed: it leaves when nobody can write to it any more, so nothing that was printed is lost.
 * The values come through its standard input; they are in no file, no argument and no variable.
 */
const folder = mkdtempSync(join(tmpdir(), 'autoresearch-scribe-'));
const sets = new Map<string, SecretFinder>();
const open = new Map<number, readonly LogPipe[]>();
let isLast = false;
let made = 0;

function hear(message: ToScribe): void {
  if (message.do === 'know') sets.set(message.set, secretFinder(new Map(message.marks)));
  else if (message.do === 'open') begin(message);
  else end(message.id);
}

function begin({ id, set, logs, most = Number.POSITIVE_INFINITY }: Extract<ToScribe, { do: 'open' }>): void {
  const files = [...new Set(logs)];
  const pipes = files.map(() => join(folder, String(++made)));
  const opened: LogPipe[] = [];
  let file = folder;
  try {
    makePipes(pipes);
    for (const [index, pipe] of pipes.entries()) {
      file = files[index]!;
      opened.push(
        new LogPipe({
          pipe,
          log: file,
          finder: sets.get(set)!,
          most,
          onOver: leaveWhenDone,
          onTrouble: (error) => {
            tell({ id, say: 'trouble', file: files[index]!, ...problemOf(error) });
            leaveWhenDone();
          },
        }),
      );
    }
  } catch (error) {
    for (const one of opened) one.drain();
    tell({ id, say: 'trouble', file, ...problemOf(error as NodeJS.ErrnoException) });
    return;
  }
  open.set(id, opened);
  tell({ id, say: 'open', pipes: [pipes[0]!, pipes.at(-1)!] });
}

function end(id: number): void {
  for (const pipe of open.get(id) ?? []) pipe.drain();
  tell({ id, say: 'drained' });
}

/** Node has no words for it. */
function makePipes(pipes: readonly string[]): void {
  const { status, error, stderr } = spawnSync('mkfifo', ['-m', '600', ...pipes], { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr.trim() || 'mkfifo failed');
}

const problemOf = ({ code = '', message }: NodeJS.ErrnoException): { code: string; detail: string } => ({
  code,
  detail: message,
});

const tell = (message: FromScribe): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** The runner is gone, or wants nothing more. */
function hangUp(): void {
  isLast = true;
  for (const pipes of open.values()) for (const pipe of pipes) pipe.drain();
  leaveWhenDone();
  tell({ id: 0, say: 'staying' });
}

function leaveWhenDone(): void {
  for (const [id, pipes] of open) if (pipes.every(({ isOver }) => isOver)) open.delete(id);
  if (!isLast || open.size > 0) return;
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

// Whoever stops the commands does not mean us: what they have printed by then is still to be written.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdout.on('error', () => {});
process.stdin.setEncoding('utf8');
process.stdin.on('data', lineReader<ToScribe>(hear));
process.stdin.on('end', hangUp);
process.stdin.on('error', hangUp);
