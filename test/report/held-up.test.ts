import { expect, test } from 'vitest';
import type { RecordedEvent } from '../../src/model/events/event.js';
import { PlainReporter } from '../../src/report/live/reporter-plain.js';
import { TreeReporter } from '../../src/report/live/reporter-tree.js';
import { journalOf, runStarted } from '../support/events.js';
import { study } from './sample-plan.js';
import { HandClock, runInfo, testTarget } from './sample-run.js';

const heldUp = (task: string, detail: string): RecordedEvent => ({
  ...{ type: 'job-held-up', task, tag: `ar-${task}`, cluster: 'hpc', detail, submitted: 'no' },
});
const submitted: RecordedEvent = { type: 'job-submitted', task: 'a', tag: 'ar-a', cluster: 'hpc', id: '7' };

const told = async (kind: 'plain' | 'tree', events: readonly RecordedEvent[]): Promise<readonly string[]> => {
  const [target, clock] = [testTarget(), new HandClock()];
  const reporter =
    kind === 'plain' ? new PlainReporter(target, { verbose: false, clock }) : new TreeReporter(target, { clock });
  const { plan } = study();
  reporter.runStarted(plan, runInfo());
  const { entries } = journalOf([runStarted(), ...events]);
  for (const entry of entries) reporter.recorded(entry);
  await reporter.close();
  return target.text.split('\n').filter((line) => line.startsWith('⚠'));
};

test.each(['plain', 'tree'] as const)(
  '%s: what holds jobs up is said once, and again when it is another thing',
  async (kind) => {
    const same = [heldUp('a', 'sbatch said no'), heldUp('b', 'sbatch said no'), heldUp('a', 'sbatch said no')];
    const words = (task: string, detail: string): string =>
      `⚠ ${task} on hpc  not submitted yet: ${detail}; tried again`;
    expect(await told(kind, same)).toEqual([words('a', 'sbatch said no')]);
    expect(await told(kind, [...same, heldUp('b', 'it\u001B[2J hung')])).toEqual([
      words('a', 'sbatch said no'),
      words('b', 'it hung'),
    ]);
    // Between the two it had taken one.
    expect(await told(kind, [...same, submitted, heldUp('b', 'sbatch said no')])).toHaveLength(2);
  },
);
