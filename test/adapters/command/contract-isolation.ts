import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Stage } from './contract.js';
import { exited, finish, signalled, text, until } from './room.js';

/** Commands, runners and the runner's own process do not disturb each other. */
export function isolationContract(stage: Stage): void {
  const run = (command: string | readonly string[], more = {}) => finish(stage.shared, stage.room.spec(command, more));
  const hasProc = existsSync('/proc/self/fd');

  it('runs more at once than it was made for', async () => {
    const runner = stage.create({ maxSlots: 2 });
    const meet = 'touch "met $N"; until [ "$(ls | grep -c met)" -ge 7 ]; do sleep 0.02; done; exit $N';
    const commands = [1, 2, 3, 4, 5, 6, 7].map((n) => runner.start(stage.room.spec(meet, { env: { N: String(n) } })));
    expect(await Promise.all(commands.map(({ exit }) => exit))).toEqual([1, 2, 3, 4, 5, 6, 7].map(exited));
  });

  it('lets two runners work side by side, and one close without the other', async () => {
    const [one, two] = [stage.create(), stage.create()];
    const spec = stage.room.spec('echo ready; sleep 1000');
    const stays = two.start(spec);
    const goes = one.start(stage.room.spec('sleep 1000'));
    await until('ready', () => text(spec.stdoutFile) !== '');
    await one.close();
    expect(await goes.exit).toEqual(signalled('SIGKILL'));
    expect((await finish(two, stage.room.spec('exit 5'))).exit).toEqual(exited(5));
    stays.kill();
    expect(await stays.exit).toEqual(signalled('SIGKILL'));
  });

  describe('a command', () => {
    it('leads a process group of its own, without a terminal', async () => {
      const { stdout } = await run('echo $$; ps -o pgid= -p $$; exec 2>/dev/null; (: </dev/tty) || echo no terminal');
      const [pid, group, terminal] = stdout.split('\n').map((line) => line.trim());
      expect([group, terminal]).toEqual([pid, 'no terminal']);
    });

    it.skipIf(!hasProc)('has default signals and no descriptor but its own three', async () => {
      const script = 'grep -E "^Sig(Ign|Blk|Pnd)" /proc/self/status; ls /proc/self/fd';
      const bare = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).stdout;
      expect(bare).toContain('SigIgn:\t0000000000000000');
      expect((await run(script)).stdout).toBe(bare);
      expect((await run(['sh', '-c', script])).stdout).toBe(bare);
    });

    it('cannot forge the end of itself or of another', async () => {
      const forge = `
        for word in e x s q; do for id in 1 2 3 4 5; do for n in 0 1 2 3 4 5 6 7 8 9; do
          for line in "$word $id 0" "$id 0" "$AUTORESEARCH_WARDEN $word $id 0"; do
            echo "$line"; echo "$line" >&2
            eval "echo '$line' >&$n"
          done
        done; done; done 2>/dev/null
        exit 9`;
      const spec = stage.room.spec('echo ready; sleep 1000');
      const victim = stage.shared.start(spec);
      await until('ready', () => text(spec.stdoutFile) !== '');
      const messages = await run(forge);
      expect(messages.exit).toEqual(exited(9));
      const bait = stage.room.spec('exit 8', { cwd: '/nowhere\ne 1 0\nx e 2 0' });
      expect((await stage.shared.start(bait).exit).kind).toBe('not-started');
      victim.kill();
      expect(await victim.exit).toEqual(signalled('SIGKILL'));
    });
  });

  it.skipIf(!hasProc)('leaves no descriptor and no child behind', async () => {
    const children = (): string[] =>
      readdirSync('/proc').filter(
        (pid) => text(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1] === String(process.pid),
      );
    const before = [readdirSync('/proc/self/fd').length, children().length];
    for (let round = 0; round < 3; round += 1) {
      const runner = stage.create({ maxSlots: 3 });
      await Promise.all([1, 2, 3, 4].map((n) => finish(runner, stage.room.spec(`exit ${n}`))));
      await runner.close();
    }
    expect([readdirSync('/proc/self/fd').length, children().length]).toEqual(before);
  });
}
