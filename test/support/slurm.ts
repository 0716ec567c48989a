import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';

const programs = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'scontrol', 'scancel'];

/** Why there is no Slurm to test with; undefined when there is one. `npm run test:cluster` installs it. */
export function whyNoSlurm(): string | undefined {
  const missing = programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  if (missing.length > 0) return `${missing.join(', ')} not installed`;
  return process.getuid?.() === 0 ? undefined : 'daemons of Slurm are started by root only';
}

/**
 * A Slurm of our own: the real daemons in the foreground, without systemd and cgroups, with a munge of their own, on ports and
 * in a folder of this process. The folder's name is short, because a socket's path may have no more than 107 bytes.
 */
export class SlurmCluster {
  readonly dir = mkdtempSync('/tmp/ars');
  readonly conf = join(this.dir, 'slurm.conf');
  readonly #nodes: number;
  #munge: ChildProcess | undefined;
  #controller: ChildProcess | undefined;
  readonly #daemons: ChildProcess[] = [];

  constructor(nodes = 2) {
    this.#nodes = nodes;
  }

  get env(): Record<string, string> {
    return { PATH: process.env.PATH!, HOME: '/root', SLURM_CONF: this.conf };
  }

  async up(): Promise<void> {
    // Munge's socket is for everybody.
    chmodSync(this.dir, 0o755);
    for (const name of ['state', 'log', 'dev']) mkdirSync(join(this.dir, name));
    writeFileSync(join(this.dir, 'key'), randomBytes(128));
    chmodSync(join(this.dir, 'key'), 0o400);
    // slurmd wants devices; these are as good as /dev/null.
    for (const name of ['gpu0', 'gpu1']) execFileSync('mknod', [join(this.dir, 'dev', name), 'c', '1', '3']);
    writeFileSync(this.conf, this.#config(await freePorts(3 + this.#nodes)));
    writeFileSync(join(this.dir, 'gres.conf'), `NodeName=n[1-${this.#nodes}] Name=gpu File=${this.dir}/dev/gpu[0-1]\n`);
    const files = ['socket', 'key-file', 'pid-file', 'seed-file', 'log-file'];
    this.#munge = this.#start('munged', [
      '-F',
      '--num-threads=2',
      ...files.map((name) => `--${name}=${this.#mungeFile(name)}`),
    ]);
    await this.#wait(() => existsSync(this.#mungeFile('socket')), 'munge');
    this.startController();
    for (let node = 1; node <= this.#nodes; node += 1) {
      mkdirSync(join(this.dir, `n${node}`));
      this.#daemons.push(this.#start('slurmd', ['-D', '-f', this.conf, '-N', `n${node}`]));
    }
    await this.#wait(() => this.#idleNodes() === this.#nodes, 'nodes');
  }

  #mungeFile(name: string): string {
    return join(this.dir, name === 'socket' ? 'munge' : name === 'key-file' ? 'key' : `munged.${name}`);
  }

  #config([control, daemon, ...nodes]: readonly number[]): string {
    const host = hostname().split('.')[0]!;
    return `${[
      'ClusterName=test',
      `SlurmctldHost=${host}(127.0.0.1)`,
      `SlurmctldPort=${control}`,
      `SlurmdPort=${daemon}`,
      'AuthType=auth/munge',
      'CredType=cred/munge',
      // A requeued job waits for its old credential to expire: two minutes unless told; less than five seconds is not taken.
      `AuthInfo=socket=${this.#mungeFile('socket')},cred_expire=5`,
      'SlurmUser=root',
      'SlurmdUser=root',
      `StateSaveLocation=${this.dir}/state`,
      `SlurmdSpoolDir=${this.dir}/%n`,
      `SlurmctldPidFile=${this.dir}/controller.pid`,
      `SlurmdPidFile=${this.dir}/%n.pid`,
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
      'SelectType=select/cons_tres',
      'SelectTypeParameters=CR_Core',
      'JobAcctGatherType=jobacct_gather/none',
      'AccountingStorageType=accounting_storage/none',
      'MpiDefault=none',
      'ReturnToService=1',
      'KillWait=2',
      'MinJobAge=3600',
      'MaxArraySize=2001',
      'SlurmdParameters=config_overrides',
      'SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=10000,bf_interval=1',
      'GresTypes=gpu',
      ...Array.from({ length: this.#nodes }, (_, index) => {
        const address = `NodeName=n${index + 1} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${nodes[index]}`;
        return `${address} CPUs=4 RealMemory=4000 Gres=gpu:2 State=UNKNOWN`;
      }),
      `PartitionName=main Nodes=n[1-${this.#nodes}] Default=YES MaxTime=INFINITE State=UP`,
    ].join('\n')}\n`;
  }

  startController(): void {
    this.#controller = this.#start('slurmctld', ['-D', '-f', this.conf]);
  }

  async stopController(): Promise<void> {
    await stopped(this.#controller!);
  }

  async whenReachable(): Promise<void> {
    await this.#wait(() => this.ask('squeue', '-h').status === 0, 'an answer of squeue');
  }

  /** One of Slurm's programs, under a limit. */
  ask(program: string, ...args: readonly string[]): { status: number | null; stdout: string } {
    return spawnSync(program, args, { env: this.env, encoding: 'utf8', timeout: 15_000 });
  }

  #idleNodes(): number {
    const { stdout } = this.ask('sinfo', '-h', '-N', '-o', '%t');
    return stdout.split('\n').filter((state) => state === 'idle').length;
  }

  #start(program: string, args: readonly string[]): ChildProcess {
    const log = openSync(join(this.dir, 'log', `${program}.log`), 'a');
    return spawn(program, args, { env: this.env, stdio: ['ignore', log, log] });
  }

  async #wait(condition: () => boolean, what: string): Promise<void> {
    for (const end = Date.now() + 100_000; Date.now() < end; ) {
      if (condition()) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const logs = ['munged', 'slurmctld', 'slurmd']
      .filter((name) => existsSync(join(this.dir, 'log', `${name}.log`)))
      .map((name) => readFileSync(join(this.dir, 'log', `${name}.log`), 'utf8'));
    throw new Error(`waited for ${what} in vain\n${logs.map((text) => text.slice(-1500)).join('\n--\n')}`);
  }

  /** Jobs first, while there is somebody to end them; then the daemons, by their own ids. */
  async down(): Promise<void> {
    this.ask('scancel', '-u', 'root');
    await this.#wait(() => this.ask('squeue', '-h').stdout.trim() === '', 'an empty queue').catch(() => {});
    for (const daemon of [...this.#daemons, this.#controller, this.#munge]) if (daemon) await stopped(daemon);
    // Who starts jobs may still be writing its last lines.
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(late);
}

/**
 * Below those that the system gives to whoever connects or listens somewhere: such a one could be taken by anybody between this
 * look and the daemon's start, or while a controller is down. Each process looks in a block of its own.
 */
async function freePorts(count: number): Promise<readonly number[]> {
  const first = 10_000 + (process.pid % 1000) * 20;
  const ports: number[] = [];
  for (let port = first; ports.length < count; port += 1) if (await isFree(port)) ports.push(port);
  return ports;
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
