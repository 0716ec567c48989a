import { expect, test } from 'vitest';
import type { Reporter } from '../../src/model/ports.js';
import { JsonReporter } from '../../src/report/live/reporter-json.js';
import { SilentReporter } from '../../src/report/live/reporter-silent.js';
import { study } from './sample-plan.js';
import { runInfo, started, taskFailed, taskFinished, taskStarted, testTarget } from './sample-run.js';

const { plan } = study();
const entries = [started(plan), taskStarted('data'), taskFinished('data'), taskFailed('verdict')];

async function play(reporter: Reporter): Promise<void> {
  reporter.runStarted(plan, runInfo());
  for (const entry of entries) reporter.recorded(entry);
  reporter.ephemeral({ type: 'notice', text: 'not for programs' });
  reporter.ephemeral({ type: 'output', task: 'data', line: 'neither' });
  await reporter.close();
  await reporter.close();
}

test('json: one journal event a line and nothing else', async () => {
  const target = testTarget({ color: true });
  await play(new JsonReporter(target));
  expect(target.text).toBe(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
});

test('silent: nothing', async () => {
  await play(new SilentReporter());
});
