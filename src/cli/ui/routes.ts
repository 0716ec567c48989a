import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Asked } from '../../adapters/person/dashboard-server.js';
import { dashboardShell, dashboardStyle } from '../../report/dashboard/shell.js';
import { dashboardView, openGates } from '../../report/dashboard/views.js';
import { iterationWords } from '../../report/iterations/iteration-words.js';
import { plainLine } from '../../report/words/plain-line.js';
import { logsOf } from '../run/run-ports.js';
import type { RouteTools, RunWatch, WatchedRun } from './run-watch.js';
import { sendAnswer } from './send-answer.js';

/** What the dashboard is asked for, and what it says. */
export async function route({ path, query, body }: Asked, tools: RouteTools): Promise<Answer | undefined> {
  const { watch, name, readOnly } = tools;
  if (path === '/') return page(dashboardShell({ name, readOnly }));
  if (path === '/style.css') return text('text/css', dashboardStyle);
  if (path === '/app.js')
    return text('text/javascript', readFileSync(join(import.meta.dirname, 'vendor', 'dashboard.js'), 'utf8'));
  if (path === '/runs') return text('application/json', JSON.stringify(runsOf(watch)));
  if (path === '/answer') return body === undefined ? undefined : sendAnswer(body, tools);
  const run = watch.find(query.get('agent'), query.get('run'));
  if (!run) return undefined;
  if (path === '/events') return { kind: 'stream', begin: (send) => followed(run, send) };
  if (path === '/log') return text('application/json', JSON.stringify(logOf(run, query, watch.secrets.hide)));
  const facts = run.facts();
  if (!facts) return page('');
  if (path === '/gates') return page(openGates(facts, readOnly));
  if (path !== '/view') return undefined;
  const wish = { filter: query.get('filter') ?? '', page: Number(query.get('page') ?? 0) || 0 };
  const view = await dashboardView(query.get('name') ?? '', facts, wish);
  return view === undefined ? undefined : page(view);
}

const text = (type: string, content: string): Answer => ({ kind: 'text', type, text: content });
const page = (content: string): Answer => text('text/html', content);

/** The newest hundred; reading them all would take a while where there are thousands. */
const runsOf = (watch: RunWatch): object[] =>
  watch
    .list()
    .slice(0, 100)
    .map(({ agent, run }, index) => {
      const known = index < 10 ? watch.find(agent, run) : undefined;
      const { iteration } = known?.follower.state ?? {};
      const said = [iteration ? `(${iterationWords(iteration)})` : '', known?.words() ?? ''].filter(
        (part) => part !== '',
      );
      return { agent, run, words: [...(agent === 'default' ? [] : [agent]), run, ...said].join(' ') };
    });

/** Says so whenever the journal has grown, at most every so often. */
function followed(run: WatchedRun, send: (data: string) => void): () => void {
  let told = '';
  const look = (): void => {
    run.follower.look();
    const now = `${run.version()} ${run.words()}`;
    if (now === told) return;
    told = now;
    send(run.words());
  };
  look();
  const timer = setInterval(look, lookEveryMs);
  return () => clearInterval(timer);
}

const lookEveryMs = 400;
const mostLogBytes = 65_536;

interface LogPiece {
  readonly text: string;
  readonly next: number;
}

/** What a task has written since; of a long log its end. Only tasks of the run have one. */
function logOf({ follower, store, id }: WatchedRun, query: URLSearchParams, hide: (line: string) => string): LogPiece {
  const task = query.get('task') ?? '';
  if (!follower.state?.tasks.has(task)) return { text: '', next: 0 };
  const { stdoutFile, stderrFile } = logsOf(store.runDir(id), task, follower.state);
  const from = Number(query.get('from') ?? 0) || 0;
  const [out, err] = [stdoutFile, stderrFile].map(bytesFrom);
  const whole = `${out}${err === '' ? '' : `${out === '' || out!.endsWith('\n') ? '' : '\n'}${err}`}`;
  const lines = whole.split('\n').map(plainLine).join('\n');
  const shown = hide(lines);
  return from > shown.length ? { text: shown, next: shown.length } : { text: shown.slice(from), next: shown.length };
}

function bytesFrom(file: string): string {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, mostLogBytes));
    const read = readSync(fd, bytes, 0, bytes.length, Math.max(0, size - bytes.length));
    return bytes.subarray(0, read).toString('utf8');
  } finally {
    closeSync(fd);
  }
}
