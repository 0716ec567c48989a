import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../../src/model/ports.js';
import type { Stage } from './contract.js';
import { alive, collect, exited, finish, gone, StoppedClock, signalled, text, until } from './room.js';

/** How commands are ended, with all that they started. */
export function endingContract(stage: Stage): void {
  /** Starts a command that writes `ready` once it is in the state the test wants. */
  const startReady = async (spec: CommandSpec, runner = stage.shared) => {
    const command = runner.start(spec);
    await until('ready', () => text(spec.stdoutFile).includes('ready'));
    return command;
  };
  const pidsIn = (stdout: string): number[] => [...stdout.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
  const hasProc = existsSync('/proc/self/environ');

  it('ends what a command leaves behind in its group, though it holds the output open', async () => {
    const { exit, stdout } = await finish(
      stage.shared,
      stage.room.spec('sleep 1000 & echo pid $!; (sleep 1001; :) & echo pid $!; exit 3'),
    );
    expect(exit).toEqual(exited(3));
    const pids = pidsIn(stdout);
    expect(pids).toHaveLength(2);
    await until('the stragglers are gone', () => !pids.some(alive));
  });

  describe('stop', () => {
    it('asks first', async () => {
      const spec = stage.room.spec(`trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done`);
      const command = await startReady(spec);
      command.stop();
      const { exit, stdout } = await collect(spec, command);
      expect([exit, stdout]).toEqual([exited(7), 'ready\nbye\n']);
      command.stop();
      command.kill();
    });

    it('ends a command that does not mind, with its children', async () => {
      const spec = stage.room.spec('sleep 1000 & echo pid $!; echo ready; wait');
      const command = await startReady(spec);
      command.stop();
      expect(await command.exit).toEqual(signalled('SIGTERM'));
      await until('the child is gone', () => !pidsIn(text(spec.stdoutFile)).some(alive));
    });

    it('kills after the grace period, and not before', async () => {
      const clock = new StoppedClock();
      const runner = stage.create({ clock, graceMs: 700 });
      const spec = stage.room.spec(`trap 'echo heard' TERM; echo ready; while :; do sleep 0.01; echo tick; done`);
      const command = await startReady(spec, runner);
      command.stop();
      await until('the signal was heard', () => text(spec.stdoutFile).includes('heard'));
      clock.advance(699);
      command.stop();
      const length = text(spec.stdoutFile).length;
      await until('it goes on', () => text(spec.stdoutFile).length > length);
      clock.advance(1);
      expect(await command.exit).toEqual(signalled('SIGKILL'));
    });

    it('wakes a command that was halted', async () => {
      const spec = stage.room.spec('echo pid $$; kill -STOP $$; sleep 1000');
      const command = stage.shared.start(spec);
      const halted = (): boolean => pidsIn(text(spec.stdoutFile)).some((pid) => / T /.test(text(`/proc/${pid}/stat`)));
      await until('it is halted', halted);
      command.stop();
      expect(await command.exit).toEqual(signalled('SIGTERM'));
    });

    it.skipIf(!hasProc)('gives the program its time when the shell around it has died already', async () => {
      const saving = `sh -c 'trap "sleep 0.2; echo saved; exit" TERM; echo ready; while :; do sleep 0.01; done'; true`;
      const spec = stage.room.spec(saving);
      const command = await startReady(spec);
      command.stop();
      expect(await command.exit).toEqual(signalled('SIGTERM'));
      expect(text(spec.stdoutFile)).toContain('saved');
    });

    it.skipIf(!hasProc)('gives it no more than its time', async () => {
      const clock = new StoppedClock();
      const runner = stage.create({ clock, graceMs: 5000 });
      const deaf = `echo pid $$; sh -c 'trap "" TERM; echo pid $$; echo ready; while :; do sleep 0.01; done'; true`;
      const spec = stage.room.spec(deaf);
      const command = await startReady(spec, runner);
      const [shell, program] = pidsIn(text(spec.stdoutFile));
      command.stop();
      await until('the shell is gone', () => !alive(shell!));
      clock.advance(4999);
      expect(alive(program!)).toBe(true);
      clock.advance(1);
      expect(await command.exit).toEqual(signalled('SIGTERM'));
      await gone([program!], 1);
    });

    it('sends SIGINT instead to a program that wants it, and SIGKILL when that was in vain', async () => {
      const script = `trap 'echo int; exit 7' INT; trap 'echo term' TERM; echo ready; while :; do sleep 0.01; done`;
      const spec = stage.room.spec(script, { stopSignal: 'SIGINT' });
      const command = await startReady(spec);
      command.stop();
      expect(await collect(spec, command)).toMatchObject({ exit: exited(7), stdout: 'ready\nint\n' });

      const clock = new StoppedClock();
      const deaf = stage.room.spec(`trap 'echo heard' INT; echo ready; while :; do sleep 0.01; done`, {
        stopSignal: 'SIGINT',
      });
      const second = await startReady(deaf, stage.create({ clock, graceMs: 700 }));
      second.stop();
      await until('the signal was heard', () => text(deaf.stdoutFile).includes('heard'));
      clock.advance(700);
      expect(await second.exit).toEqual(signalled('SIGKILL'));
    });

    it.skipIf(!hasProc)('leaves nothing of such a program in other sessions, however it ends', async () => {
      const breakOut = `setsid sh -c 'trap "" INT TERM HUP; echo pid $$; echo ready; while :; do sleep 0.01; done' &`;
      const stopped = stage.room.spec(`${breakOut} wait`, { stopSignal: 'SIGINT' });
      const command = await startReady(stopped);
      command.stop();
      expect(await command.exit).toEqual(signalled('SIGINT'));
      const own = stage.room.spec(`${breakOut} until grep -q ready "$LOG"; do sleep 0.01; done; exit 3`);
      const env = { LOG: own.stdoutFile };
      expect((await finish(stage.shared, { ...own, env, stopSignal: 'SIGINT' })).exit).toEqual(exited(3));
      await gone(
        [stopped, own].flatMap((spec) => pidsIn(text(spec.stdoutFile))),
        2,
      );
    });

    it('works before the command is known to have started', async () => {
      const commands = [1, 2, 3, 4].map(() => stage.shared.start(stage.room.spec('sleep 1000')));
      for (const command of commands) command.stop();
      for (const command of commands) expect(await command.exit).toEqual(signalled('SIGTERM'));
    });
  });

  describe('kill', () => {
    it('does not ask', async () => {
      const spec = stage.room.spec(`trap '' TERM; echo ready; while :; do sleep 0.01; done`);
      const command = await startReady(spec);
      command.kill();
      expect(await command.exit).toEqual(signalled('SIGKILL'));
    });

    it('works before the command is known to have started, and after a stop', async () => {
      const early = stage.shared.start(stage.room.spec('sleep 1000'));
      early.kill();
      expect(await early.exit).toEqual(signalled('SIGKILL'));
      const deaf = await startReady(stage.room.spec(`trap '' TERM; echo ready; while :; do sleep 0.01; done`));
      deaf.stop();
      deaf.kill();
      expect(await deaf.exit).toEqual(signalled('SIGKILL'));
    });

    it.skipIf(!hasProc)('finds what left its group, and only what belongs to the command', async () => {
      const breakOut = `setsid sh -c 'trap "" TERM HUP; echo pid $$; echo ready; while :; do sleep 0.01; done' & wait`;
      const [one, other] = [stage.room.spec(breakOut), stage.room.spec(breakOut)];
      const [first, second] = [await startReady(one), await startReady(other)];
      first.kill();
      await first.exit;
      await gone(pidsIn(text(one.stdoutFile)), 1);
      expect(pidsIn(text(other.stdoutFile)).map(alive)).toEqual([true]);
      second.stop();
      await second.exit;
      await gone(pidsIn(text(other.stdoutFile)), 1);
    });
  });

  describe('close', () => {
    it('ends everything that runs, and what finished commands left outside their group', async () => {
      const runner = stage.create({ maxSlots: 2 });
      const specs = [
        stage.room.spec('echo pid $$; echo ready; sleep 1000'),
        stage.room.spec(`trap '' TERM; echo pid $$; echo ready; while :; do sleep 0.01; done`),
        stage.room.spec(`setsid sh -c 'echo pid $$; echo ready; exec sleep 1000' & wait`),
      ];
      const commands = await Promise.all(specs.map((spec) => startReady(spec, runner)));
      const daemon = stage.room.spec(
        `setsid sh -c 'echo pid $$; exec sleep 1000' & until grep -q pid "$LOG"; do sleep 0.01; done`,
      );
      await finish(runner, { ...daemon, env: { LOG: daemon.stdoutFile } });
      await runner.close();
      for (const command of commands) expect(await command.exit).toEqual(signalled('SIGKILL'));
      const pids = [...specs, ...(hasProc ? [daemon] : [])].flatMap((spec) => pidsIn(text(spec.stdoutFile)));
      await gone(pids, 4);
    });

    it('is at peace with a runner that never ran anything', async () => {
      await stage.create().close();
    });
  });
}
