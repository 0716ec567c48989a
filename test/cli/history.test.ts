import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openProjectFiles } from '../../src/adapters/disk/project-files.js';
import { FileJournal } from '../../src/adapters/journal/file-journal.js';
import { openRunStore } from '../../src/adapters/journal/run-store.js';
import { openHistory } from '../../src/cli/history/history.js';
import type { Project } from '../../src/cli/project/open-project.js';
import type { RecordedEvent } from '../../src/model/events/event.js';
import { preview } from '../../src/run/freshness/decider.js';
import { fingerprintOf } from '../../src/run/freshness/fingerprint.js';
import { select } from '../../src/run/select.js';
import { runStarted } from '../support/events.js';
import { FakeClock } from '../support/fake-clock.js';
import { planOf } from '../support/run-rig.js';
import { until } from '../support/until.js';

const root = mkdtempSync(join(tmpdir(), 'autoresearch-history-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const plan = planOf([{ id: 'a', inputs: ['big.bin'] }]);
const all = select(plan, { only: [], from: [], force: [] });
const project = { plan, resolved: { root } } as unknown as Project;

/** A journal that tells a digest which is not the file's: where it is believed, the file was not read. */
async function told(lie: string): Promise<void> {
  const files = await openProjectFiles(root, { globs: false, now: () => Date.now() + 60_000 });
  const made = fingerprintOf(plan.tasks[0]!, files, () => '');
  expect(Object.keys(made.stamps ?? {})).toEqual(['big.bin']);
  const store = openRunStore(root, 'default');
  const id = store.create(plan);
  const journal = new FileJournal(store.journalFile(id), new FakeClock());
  const fingerprint = { ...made, inputs: { 'big.bin': lie } };
  const events: RecordedEvent[] = [
    { ...runStarted(1), run: id },
    { type: 'task-started', task: 'a', attempt: 1, reasons: [] },
    { type: 'task-finished', task: 'a', attempt: 1, durationMs: 1, fingerprint, outputs: [], product: 'p' },
    { type: 'run-finished', outcome: 'passed', durationMs: 1 },
  ];
  journal.append(events);
  await journal.close();
}

const decision = async (): Promise<string> => {
  const history = await openHistory(project, { agentId: 'default', selected: all });
  const { action, reasons } = preview(plan, history.still()).get('a')!;
  return `${action}: ${reasons.map(({ detail }) => detail).join(', ')}`;
};

describe('history', () => {
  it('does not read a large input again while it has the stamp that the journal tells', async () => {
    const file = join(root, 'big.bin');
    writeFileSync(file, 'x'.repeat(100_000));
    await told('a digest of nothing');
    expect(await decision()).toBe('cached: nothing it depends on has changed');
    const before = statSync(file, { bigint: true }).ctimeNs;
    await until(() => {
      writeFileSync(file, 'x'.repeat(100_000));
      return statSync(file, { bigint: true }).ctimeNs > before;
    });
    expect(await decision()).toBe('run: big.bin changed');
  });
});

describe('the newest run that was seen before', () => {
  it('is read again when its journal has grown meanwhile', async () => {
    const folder = mkdtempSync(join(root, 'seen-'));
    const store = openRunStore(folder, 'default');
    const id = store.create(plan);
    const first = new FileJournal(store.journalFile(id), new FakeClock());
    first.append([{ ...runStarted(1), run: id }]);
    await first.close();
    const seen = { id, reading: store.read(id)! };
    const look = () =>
      openHistory({ plan, resolved: { root: folder } } as unknown as Project, {
        agentId: 'default',
        selected: all,
        seen,
      });
    expect((await look()).newest?.reading).toBe(seen.reading);
    const second = new FileJournal(store.journalFile(id), new FakeClock(), store.read(id)!);
    second.append([{ type: 'run-finished', outcome: 'passed', durationMs: 1 }]);
    await second.close();
    expect((await look()).newest?.reading.state?.outcome).toBe('passed');
  });
});
