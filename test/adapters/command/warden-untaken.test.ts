import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newRunnerId } from '../../../src/adapters/command/command-runner.js';
import { WardenHelper } from '../../../src/adapters/command/warden-helper.js';
import type { SlotEnd } from '../../../src/adapters/command/warden-slot.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { alive, childrenOf, Room, text, until } from './room.js';

let room: Room;
let helper: WardenHelper;
beforeEach(() => {
  room = new Room();
  // Says its last word a moment later, so that it does not come together with the one before.
  const bash = room.path('bash');
  const later = `"\${5/echo \\"\\$1 u\\"//bin/sleep 0.1; echo \\"\\$1 u\\"}"`;
  writeFileSync(bash, `#!/bin/bash\nexec /bin/bash "\${@:1:4}" ${later} "\${@:6}"\n`);
  chmodSync(bash, 0o755);
  helper = new WardenHelper({ bash, clock: systemClock, env: {}, runner: newRunnerId(), slots: 1 });
});
afterEach(async () => {
  await helper.close();
  room.remove();
});

const isBash = (pid: number): boolean => text(`/proc/${pid}/comm`) === 'bash\n';
const isWaiting = (pid: number): boolean => / S /.test(text(`/proc/${pid}/stat`));
const pause = new Int32Array(new SharedArrayBuffer(4));

it('a command that was not taken is told of also when the runner is slow to answer', async () => {
  const slot = helper.freeSlot()!;
  // Node, the main shell, its slot, and the child that waits in it.
  const shells = (): number[] => childrenOf(process.pid).filter(isBash).flatMap(childrenOf);
  const spares = (): number[] => shells().flatMap(childrenOf).filter(isWaiting);
  await until('a child waits', () => spares().length === 1);
  const [shell, waiting] = [shells()[0]!, spares()[0]!];
  process.kill(waiting, 'SIGSTOP');
  await until('it is halted', () => / T /.test(text(`/proc/${waiting}/stat`)));
  const end = await new Promise<SlotEnd>((ended) => {
    slot.run(`echo ran >${room.path('ran')}`, {
      started: () => process.kill(waiting, 'SIGKILL'),
      signalled(goOn) {
        // Nothing else happens in this process meanwhile: time enough for the slot to find the command and say so.
        for (let turn = 0; turn < 50 && alive(shell); turn += 1) Atomics.wait(pause, 0, 0, 10);
        goOn();
      },
      ended,
    });
  });
  expect(end).toEqual({ kind: 'untaken' });
  expect(existsSync(room.path('ran'))).toBe(false);
  await until('the slot is gone', () => !alive(shell));
});
