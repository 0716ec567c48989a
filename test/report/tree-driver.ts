// Runs the tree reporter at a real terminal; started by reporter-tree-pty.test.ts.
import { execFileSync } from 'node:child_process';
import { TreeReporter } from '../../src/report/live/reporter-tree.js';
import { study } from './sample-plan.js';
import { runInfo, started, taskCached, taskFailed, taskFinished, taskSkipped, taskStarted } from './sample-run.js';

let waiting: (() => void)[] = [];
/** Resolves when the view has drawn again, so that nothing here depends on time. */
const drawn = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

const reporter = new TreeReporter({
  write(text) {
    process.stderr.write(text);
    const now = text.includes('done') ? waiting.splice(0) : [];
    for (const resolve of now) resolve();
  },
  columns: () => process.stderr.columns,
  rows: () => process.stderr.rows,
  color: true,
  unicode: true,
});

let interrupted = false;
process.on('SIGINT', () => {
  interrupted = true;
  reporter.ephemeral({ type: 'stopping', signal: 'SIGINT', running: 1 });
});

const { plan } = study();
const training = plan.tasks.filter(({ stage }) => stage === 'train').map(({ id }) => id);
reporter.runStarted(plan, runInfo({ lastLine: (task) => `\u001B[32m${task}\u001B[0m says ${'much '.repeat(100)}` }));
reporter.recorded(started(plan));
reporter.recorded(taskCached('data'));
for (const [index, id] of training.entries()) {
  reporter.recorded(taskStarted(id));
  await drawn();
  if (index === 6) await resized();
  if (index === 8) process.kill(process.pid, 'SIGINT');
  reporter.recorded(index === 4 ? taskFailed(id) : taskFinished(id, 120));
}
for (const id of ['summarise', 'verdict', 'figure']) reporter.recorded(taskSkipped(id, [training[4]!]));
await drawn();
await reporter.close();
reporter.recorded(taskCached('data'));
process.stderr.write(`after close, ${interrupted ? 'interrupted' : 'not interrupted'}\n`);
waiting = [];

/** Makes the window smaller, as a person would with the mouse. */
function resized(): Promise<void> {
  const done = new Promise<void>((resolve) => process.stderr.once('resize', resolve));
  execFileSync('stty', ['cols', '50', 'rows', '8'], { stdio: ['inherit', 'pipe', 'pipe'] });
  return done;
}
