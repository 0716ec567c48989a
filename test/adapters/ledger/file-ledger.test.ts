import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileLedger } from '../../../src/adapters/ledger/file-ledger.js';
import type { RecordedEvent } from '../../../src/model/events/event.js';
import type { Budget, Config } from '../../../src/model/generated/config.js';
import type { Booking } from '../../../src/model/money/spend.js';
import { journalOf, runStarted } from '../../support/events.js';
import { FakeClock } from '../../support/fake-clock.js';

const known = { wallMs: 1 };
const place = { run: '1-aaaa', stage: 'build', task: 'build', role: 'author', agent: 'coder' } as const;
const booking = (call: string, more: Partial<Booking> = {}): Booking => ({ ...place, call, capUsd: 1, ...more });
const day = 86_400_000;

class Rig {
  readonly root = mkdtempSync(join(tmpdir(), 'autoresearch-ledger-'));
  readonly clock = new FakeClock();

  open(budget: Budget = {}, { agentId = 'default', ...more }: { agentId?: string } & Partial<Config> = {}): FileLedger {
    const config = { budget, stages: { build: { uses: 'command' } }, ...more };
    return new FileLedger({ root: this.root, agentId, clock: this.clock, config });
  }

  file(agentId = 'default'): string {
    return join(this.root, '.autoresearch', agentId, 'ledger.jsonl');
  }

  lines(agentId?: string): Record<string, unknown>[] {
    return readFileSync(this.file(agentId), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  /** Calls that a run's journal tells of. */
  journal(events: readonly RecordedEvent[], agentId = 'default'): string {
    const file = join(this.root, '.autoresearch', agentId, 'runs', '1-test', 'journal.jsonl');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, journalOf([runStarted(), ...events]).text);
    return file;
  }
}

describe('FileLedger', () => {
  it('touches nothing before the first booking', () => {
    const rig = new Rig();
    rig.open({ usdPerRun: 1 });
    expect(existsSync(join(rig.root, '.autoresearch'))).toBe(false);
  });

  it('books before the call and settles after it, a line each', async () => {
    const rig = new Rig();
    const ledger = rig.open({ usdPerRun: 1 });
    expect(await ledger.reserve({ ...booking('c1', { model: 'm' }), attempt: 3 } as Booking)).toBeUndefined();
    expect(rig.lines()).toMatchObject([
      { seq: 0, at: '2026-01-01T00:00:00.000Z', type: 'reserved', ledger: 1, call: 'c1' },
    ]);
    expect(rig.lines()[0]).not.toHaveProperty('attempt');
    expect(await ledger.settle('c1', { usd: 0.25, ...known })).toEqual({
      usd: 0.25,
      source: 'reported',
      tokens: 0,
      wallMs: 1,
      gpuHours: 0,
    });
    expect(rig.lines()[1]).toMatchObject({ seq: 1, type: 'settled', call: 'c1', usd: 0.25, tokensUnknown: true });
    await ledger.close();
    expect(existsSync(join(rig.root, '.autoresearch', 'ledger.lock')), 'the mutex is free again').toBe(false);
  });

  it('gives back what was booked too much', async () => {
    const ledger = new Rig().open({ usdPerRun: 1.5 });
    await ledger.reserve(booking('c1'));
    expect(await ledger.reserve(booking('c2'))).toEqual({
      ceiling: 'budget.usdPerRun',
      limit: 1.5,
      spent: 1,
      wanted: 1,
    });
    await ledger.settle('c1', { usd: 0.5, ...known });
    expect(await ledger.reserve(booking('c2'))).toBeUndefined();
  });

  it('counts a report above the cap', async () => {
    const ledger = new Rig().open({ usdPerRun: 3 });
    await ledger.reserve(booking('c1'));
    await ledger.settle('c1', { usd: 2.5, ...known });
    expect(await ledger.reserve(booking('c2'))).toMatchObject({ spent: 2.5, wanted: 1 });
  });

  it('prices tokens by the model', async () => {
    const prices = { m: { input: 1, output: 2 } };
    const ledger = new Rig().open({ usdPerRun: 9 }, { prices });
    await ledger.reserve({ ...place, call: 'c1', model: 'm' });
    const tokens = { input: 500_000, output: 250_000 };
    expect(await ledger.settle('c1', { tokens, ...known })).toMatchObject({
      usd: 1,
      source: 'priced',
      tokens: 750_000,
    });
  });

  it('survives a resume: the ceiling of a run is not reset', async () => {
    const rig = new Rig();
    const first = rig.open({ usdPerRun: 2 });
    await first.reserve(booking('c1'));
    await first.settle('c1', { usd: 1.5, ...known });
    await first.close();
    const second = rig.open({ usdPerRun: 2 });
    expect(await second.reserve(booking('c2'))).toMatchObject({ ceiling: 'budget.usdPerRun', spent: 1.5 });
    expect(await second.reserve(booking('c3', { run: '2-bbbb' })), 'another run').toBeUndefined();
  });

  it('counts a booking that nobody settled as its cap, for ever', async () => {
    const rig = new Rig();
    await rig.open().reserve(booking('c1', { capUsd: 2 }));
    rig.clock.advance(day);
    expect(await rig.open({ usdPerRun: 2.5 }).reserve(booking('c2'))).toMatchObject({ spent: 2 });
  });

  it('of a killed call without a cap nobody knows the cost: with a ceiling on money nothing more starts', async () => {
    const rig = new Rig();
    const prices = { m: { input: 1, output: 1 } };
    const ledger = rig.open({ usdPerRun: 9 }, { prices });
    const open = { ...place, model: 'm' };
    await ledger.reserve({ ...open, call: 'c1' });
    expect(await ledger.reserve({ ...open, call: 'c2' }), 'it goes on in this process').toBeUndefined();
    await ledger.settle('c2', { usd: 0.1, ...known });
    // As if another process had booked it, which is gone.
    const other = new Rig();
    other.journal([{ type: 'agent-invoked', ...open, run: '1-test', call: 'c1', attempt: 1 }]);
    const resumed = other.open({ usdPerRun: 9 }, { prices });
    const again = { ...open, run: '1-test', call: 'c9' };
    expect(await resumed.reserve(again)).toMatchObject({ ceiling: 'budget.usdPerRun', unpricedCalls: 1 });
    expect(await other.open({ callsPerRun: 2 }).reserve(again), 'no money is limited').toBeUndefined();
  });

  it('does not start what has neither a price nor a cap while money is limited', async () => {
    const rig = new Rig();
    const free = { ...place, call: 'c1', model: 'm' };
    await expect(rig.open({ usdPerDay: 1 }).reserve(free)).rejects.toThrow('neither a price nor a cap');
    await expect(rig.open({ usdPerRun: 1 }, { prices: {} }).reserve(free)).rejects.toThrow('neither');
    const stages = { build: { uses: 'command', budget: { usd: 1 } } };
    await expect(rig.open({}, { stages }).reserve(free)).rejects.toThrow('neither');
    expect(existsSync(rig.file())).toBe(false);
  });

  it('keeps the ceilings of a stage to the stage', async () => {
    const stages = { build: { uses: 'command', budget: { calls: 1 } }, test: { uses: 'command' } };
    const ledger = new Rig().open({}, { stages });
    await ledger.reserve(booking('c1'));
    expect(await ledger.reserve(booking('c2'))).toMatchObject({ ceiling: 'stage budget.calls', spent: 1, wanted: 1 });
    expect(await ledger.reserve(booking('c2', { stage: 'test' }))).toBeUndefined();
    expect(await ledger.reserve(booking('c3', { run: '2-bbbb' }))).toBeUndefined();
  });

  it('adds a day up over runs and agent ids, by the UTC day of the booking', async () => {
    const rig = new Rig();
    rig.clock.advance(day - 1000);
    const [one, two] = [rig.open({ usdPerDay: 2 }), rig.open({ usdPerDay: 2 }, { agentId: 'other' })];
    await one.reserve(booking('c1'));
    expect(await two.reserve(booking('c2', { run: '1-bbbb', capUsd: 0.5 }))).toBeUndefined();
    const full = { ceiling: 'budget.usdPerDay', limit: 2, spent: 1.5, wanted: 1 };
    expect(await two.reserve(booking('c3'))).toEqual(full);
    expect(await one.reserve(booking('c3', { run: '2-cccc' }))).toEqual(full);
    rig.clock.advance(1000);
    await one.settle('c1', { usd: 1.9, ...known });
    expect(await two.reserve(booking('c3', { capUsd: 2 })), 'what was booked yesterday stays there').toBeUndefined();
  });

  it('gives the last money to one of many that ask at once', async () => {
    const rig = new Rig();
    const ledgers = [rig.open({ usdPerDay: 3 }), rig.open({ usdPerDay: 3 }, { agentId: 'b' })];
    const asked = Array.from({ length: 10 }, (_, index) => ledgers[index % 2]!.reserve(booking(`c${index}`)));
    const ticking = setInterval(() => rig.clock.advance(5), 1);
    const answers = await Promise.all(asked);
    clearInterval(ticking);
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(3);
    const booked = ['default', 'b'].flatMap((id) => (existsSync(rig.file(id)) ? rig.lines(id) : []));
    expect(booked).toHaveLength(3);
  });

  it('refuses to book or settle a call twice, or to settle what was never booked', async () => {
    const ledger = new Rig().open();
    await ledger.reserve(booking('c1'));
    await expect(ledger.reserve(booking('c1'))).rejects.toThrow('booked twice');
    await ledger.settle('c1', known);
    await expect(ledger.settle('c1', known)).rejects.toThrow('settled twice');
    await expect(ledger.settle('c2', known)).rejects.toThrow('never booked');
    expect(await ledger.reserve(booking('c3'))).toBeUndefined();
  });
});

describe('a ledger on disk', () => {
  const written = async (): Promise<Rig> => {
    const rig = new Rig();
    const ledger = rig.open();
    await ledger.reserve(booking('c1'));
    await ledger.settle('c1', { usd: 0.5, ...known });
    await ledger.reserve(booking('c2'));
    await ledger.close();
    return rig;
  };

  it('cut at any byte is whole lines and a torn tail, and goes on', async () => {
    const rig = await written();
    const text = readFileSync(rig.file());
    const ends = [...text.entries()].flatMap(([index, byte]) => (byte === 10 ? [index + 1] : []));
    // Every byte of the last line, and around each end.
    for (let cut = ends[1]!; cut <= text.length; cut += 1) {
      writeFileSync(rig.file(), text.subarray(0, cut));
      const ledger = rig.open({ usdPerRun: 9 });
      expect(await ledger.reserve(booking('c9'))).toBeUndefined();
      await ledger.close();
      const calls = rig.lines().map(({ call }) => call);
      expect(calls).toEqual(cut === text.length ? ['c1', 'c1', 'c2', 'c9'] : ['c1', 'c1', 'c9']);
    }
  });

  it.each([
    [
      'a changed amount',
      (text: string) => text.replace('"usd":0.5', '"usd":0.1'),
      2,
      'the line does not match its hash',
    ],
    [
      'a line taken out',
      (text: string) => text.split('\n').toSpliced(1, 1).join('\n'),
      2,
      'the line does not follow the one before',
    ],
    [
      'the first line taken out',
      (text: string) => text.split('\n').slice(1).join('\n'),
      1,
      'the line does not follow the one before',
    ],
    ['other text', () => 'hello\n', 1, 'the line has no hash'],
  ])('%s is corruption', async (_, change, line, detail) => {
    const rig = await written();
    writeFileSync(rig.file(), change(readFileSync(rig.file(), 'utf8')));
    const failure = { code: 'journal-corrupt', file: rig.file(), line, detail };
    await expect(rig.open({ usdPerRun: 1 }).reserve(booking('c9'))).rejects.toMatchObject({ failure });
    const other = rig.open({ usdPerDay: 1 }, { agentId: 'other' });
    await expect(other.reserve(booking('c9')), 'also for who adds up the day').rejects.toMatchObject({ failure });
  });

  it('that is removed, replaced or cut while it is in use is corruption', async () => {
    for (const change of [
      (file: string) => rmSync(file),
      (file: string) => writeFileSync(file, ''),
      (file: string) => {
        const text = readFileSync(file);
        writeFileSync(`${file}.new`, text);
        rmSync(file);
        writeFileSync(file, text);
      },
    ]) {
      const rig = new Rig();
      const ledger = rig.open({ usdPerRun: 5 });
      await ledger.reserve(booking('c1'));
      change(rig.file());
      const failure = { code: 'journal-corrupt', file: rig.file(), line: 1, detail: expect.stringContaining('in use') };
      await expect(ledger.reserve(booking('c2'))).rejects.toMatchObject({ failure });
      await expect(ledger.settle('c1', { usd: 0, ...known })).rejects.toMatchObject({ failure });
    }
  });

  it('of a newer version is refused', async () => {
    const rig = await written();
    const { seal, firstPrev } = await import('../../../src/journal/chain.js');
    const { line } = seal(
      { type: 'reserved', ledger: 2, call: 'x' },
      { seq: 0, at: '2026-01-01T00:00:00.000Z', prev: firstPrev },
    );
    writeFileSync(rig.file(), line);
    await expect(rig.open().reserve(booking('c9'))).rejects.toMatchObject({
      failure: { code: 'journal-corrupt', detail: 'the line is of a version that this program does not know' },
    });
  });

  it('that is gone is made anew from the journals, for the run and for the day', async () => {
    const rig = new Rig();
    const at = { ...place, run: '1-test' };
    rig.journal([
      { type: 'agent-invoked', ...at, call: 'c1', attempt: 1, capUsd: 2 },
      { type: 'spend-recorded', ...at, call: 'c1', usd: 1.25, source: 'reported', tokens: 10, wallMs: 5, gpuHours: 0 },
      { type: 'agent-invoked', ...at, call: 'c2', attempt: 2, capUsd: 2 },
      { type: 'spend-recorded', ...at, call: 'c3', usd: 0.25, source: 'priced', tokens: 1, wallMs: 5, gpuHours: 0 },
    ]);
    const other = rig.open({ usdPerDay: 4 }, { agentId: 'other' });
    expect(await other.reserve(booking('d1'))).toEqual({
      ceiling: 'budget.usdPerDay',
      limit: 4,
      spent: 3.5,
      wanted: 1,
    });
    expect(existsSync(rig.file()), 'nobody writes the ledger of another').toBe(false);
    const own = rig.open({ usdPerRun: 4 });
    expect(await own.reserve(booking('c4', { run: '1-test' }))).toMatchObject({ spent: 3.5 });
    expect(rig.lines().map(({ type, call }) => `${type} ${call}`)).toEqual([
      'reserved c1',
      'settled c1',
      'reserved c2',
      'reserved c3',
      'settled c3',
    ]);
    expect(await own.reserve(booking('c4', { run: '1-test', capUsd: 0.5 }))).toBeUndefined();
  });

  it('that is gone, with a journal that cannot be trusted, is not nothing spent', async () => {
    const rig = new Rig();
    const file = rig.journal([{ type: 'agent-invoked', ...place, call: 'c1', attempt: 1, capUsd: 2 }]);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"capUsd":2', '"capUsd":1'));
    const failure = { code: 'journal-corrupt', file, line: 2 };
    await expect(rig.open().reserve(booking('c2'))).rejects.toMatchObject({ failure });
  });

  it('cuts off a torn tail that is longer than what comes next', async () => {
    const rig = await written();
    appendFileSync(rig.file(), `{"torn${'x'.repeat(5000)}`);
    const ledger = rig.open({ usdPerRun: 9 });
    await ledger.reserve(booking('c3'));
    await ledger.close();
    expect(readFileSync(rig.file(), 'utf8')).not.toContain('torn');
    expect(rig.lines().map(({ call }) => call)).toEqual(['c1', 'c1', 'c2', 'c3']);
  });

  it('a full disk starts nothing', async () => {
    const full = new Rig();
    mkdirSync(dirname(full.file()), { recursive: true });
    symlinkSync('/dev/full', full.file());
    await expect(full.open().reserve(booking('c1'))).rejects.toMatchObject({
      failure: { code: 'disk-full', file: full.file() },
    });
  });

  it.skipIf(process.getuid?.() === 0)('a folder that may not be written starts nothing', async () => {
    const rig = new Rig();
    chmodSync(rig.root, 0o555);
    await expect(rig.open().reserve(booking('c1'))).rejects.toMatchObject({ failure: { code: 'not-writable' } });
    chmodSync(rig.root, 0o755);
  });

  it('a state folder that is a file starts nothing', async () => {
    const rig = new Rig();
    writeFileSync(join(rig.root, '.autoresearch'), '');
    await expect(rig.open().reserve(booking('c1'))).rejects.toMatchObject({
      failure: { code: 'not-writable', file: rig.file() },
    });
  });
});
