import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { newRunnerId } from '../../../src/adapters/command/command-runner.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { Clock, CommandRunner } from '../../../src/model/ports.js';
import { endingContract } from './contract-ending.js';
import { isolationContract } from './contract-isolation.js';
import { passingContract } from './contract-passing.js';
import { startingContract } from './contract-starting.js';
import { Room } from './room.js';

export interface Creation {
  readonly clock?: Clock;
  readonly env?: { readonly [name: string]: string | undefined };
  readonly maxSlots?: number;
  readonly graceMs?: number;
  readonly runner?: string;
}

export interface Subject {
  readonly name: string;
  /** How many commands the endurance test runs. */
  readonly endurance: number;
  create(options: Required<Creation>): CommandRunner;
}

/** What each part of the suite works with: a room of its own per test, a runner that all share, and more on request. */
export interface Stage {
  readonly subject: Subject;
  room: Room;
  shared: CommandRunner;
  /** A runner of the test's own; closed after the test. */
  create(options?: Creation): CommandRunner;
}

/** What every command runner has to do, tried with real processes. */
export function commandRunnerContract(subject: Subject): void {
  describe(subject.name, () => {
    const own: CommandRunner[] = [];
    const make = ({
      clock = systemClock,
      env = process.env,
      maxSlots = 2,
      graceMs = 5000,
      runner = newRunnerId(),
    }: Creation = {}): CommandRunner => subject.create({ clock, env, maxSlots, graceMs, runner });
    const stage: Stage = {
      subject,
      room: undefined as unknown as Room,
      shared: undefined as unknown as CommandRunner,
      create(options) {
        const runner = make(options);
        own.push(runner);
        return runner;
      },
    };
    beforeAll(() => {
      stage.shared = make();
    });
    afterAll(() => stage.shared.close());
    beforeEach(() => {
      stage.room = new Room();
    });
    afterEach(async () => {
      await Promise.all(own.splice(0).map((runner) => runner.close()));
      stage.room.remove();
    });

    startingContract(stage);
    passingContract(stage);
    endingContract(stage);
    isolationContract(stage);
  });
}
