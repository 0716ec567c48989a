import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { LiveCommand } from '../../../src/adapters/command/live-command.js';
import { Sweeper } from '../../../src/adapters/command/sweeper.js';
import { alive, exited, Room, StoppedClock } from './room.js';

const really = process.kill.bind(process);
const room = new Room();
let group: ChildProcess | undefined;
afterEach(() => {
  vi.restoreAllMocks();
  group?.kill('SIGKILL');
  room.remove();
});

it('is over only when its group is gone, though nothing shows any more that it was meant', async () => {
  // Without the marker, as somebody is who has given back his memory and is not gone yet.
  const child = spawn('sleep', ['3600'], { env: { PATH: process.env.PATH }, stdio: 'ignore', detached: true });
  group = child;
  await once(child, 'spawn');
  // Kills arrive when the test says, as they do late on a machine that has much to do.
  vi.spyOn(process, 'kill').mockImplementation((pid, signal) => signal === 'SIGKILL' || really(pid, signal));
  const live = new LiveCommand({
    id: 'nobody.1',
    clock: new StoppedClock(),
    graceMs: 5000,
    sweeper: new Sweeper(),
    traceFile: room.path('processes.jsonl'),
    abandon: () => {},
  });
  live.begun(child.pid!);
  live.kill();
  const order: string[] = [];
  live.ended(() => {
    order.push(alive(child.pid!) ? 'over' : 'gone, over');
    return exited(0);
  });
  // The sweep finds nothing; then some more looks at the group.
  await new Sweeper().sweep('nobody.2');
  await new Sweeper().sweep('nobody.3');
  expect(order).toEqual([]);
  really(-child.pid!, 'SIGKILL');
  expect(await live.exit).toEqual(exited(0));
  expect(order).toEqual(['gone, over']);
});
