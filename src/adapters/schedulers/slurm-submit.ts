import { join } from 'node:path';
import type { JobOrder, Resources } from '../../model/scheduler.js';
import { singleQuoted } from '../../source/shell-quote.js';
import { writePlain } from '../disk/plain-file.js';
import { jobScript } from './job-script.js';
import { submissionDir } from './submitter.js';

/** The words of `sbatch`, and the script for its standard input. Each job's own script is left in its folder. */
export function sbatchOf(orders: readonly JobOrder[]): { readonly run: readonly string[]; readonly stdin: string } {
  const [first] = orders as [JobOrder, ...JobOrder[]];
  const scripts = orders.map((order) => {
    const text = jobScript(order, { id: ownId });
    writePlain(join(order.dir, 'job.sh'), text);
    return text;
  });
  const isArray = first.batch !== undefined;
  const run = [
    'sbatch',
    '--parsable',
    `--job-name=${first.batch?.tag ?? first.tag}`,
    `--comment=${first.label.replace(/[^ -~]/g, '?')}`,
    '--export=ALL',
    '--open-mode=append',
    // Names of files are relative to it, because `%` and `\` in a path would mean something to sbatch.
    `--chdir=${submissionDir(first)}`,
    `--output=${isArray ? 'scheduler-%a.log' : 'scheduler.log'}`,
    ...(isArray ? [`--array=${orders.map(({ batch }) => batch!.index).join(',')}`] : []),
    ...(first.after ? [`--dependency=afterok:${first.after.join(':')}`, '--kill-on-invalid-dep=yes'] : []),
    ...resourceWords(first.resources),
  ];
  return { run, stdin: isArray ? arrayScript(orders) : scripts[0]! };
}

const ownId = `$(if [ -n "\${SLURM_ARRAY_TASK_ID:-}" ]; then echo "\${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"; else echo "\${SLURM_JOB_ID:-}"; fi)`;

const arrayScript = (orders: readonly JobOrder[]): string =>
  [
    '#!/bin/sh',
    'case "$SLURM_ARRAY_TASK_ID" in',
    ...orders.map(({ batch, dir }) => `${batch!.index}) exec sh ${singleQuoted(join(dir, 'job.sh'))} ;;`),
    '*) echo "autoresearch: no job has the number $SLURM_ARRAY_TASK_ID" >&2; exit 98 ;;',
    'esac',
    '',
  ].join('\n');

function resourceWords({ partition, account, qos, gpus, cpus, memory, timeMs, extra }: Resources): readonly string[] {
  const word = (name: string, value: string | number | undefined): readonly string[] =>
    value === undefined ? [] : [`--${name}=${value}`];
  return [
    ...word('partition', partition),
    ...word('account', account),
    ...word('qos', qos),
    ...word('gres', gpus ? `gpu:${gpus}` : undefined),
    ...word('cpus-per-task', cpus),
    ...word('mem', memory),
    ...word('time', timeMs === undefined ? undefined : slurmTime(timeMs)),
    ...(extra ?? []),
  ];
}

/** Days-hours:minutes:seconds; Slurm rounds up to the next minute. */
export function slurmTime(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const clock = [(seconds % 86_400) / 3600, (seconds % 3600) / 60, seconds % 60].map(two).join(':');
  return `${Math.floor(seconds / 86_400)}-${clock}`;
}
