import type { JobOrder } from '../../model/scheduler.js';
import { singleQuoted } from '../../source/shell-quote.js';
import { jobScript } from './job-script.js';

export interface LocalPlaces {
  /** Absolute: the lock files of the slots. */
  readonly slotsDir: string;
  readonly slots: number;
  readonly gpus: number;
}

/**
 * A job of this machine, for bash. It waits for its place itself, because nobody else is there when the runner is gone:
 * whoever holds `queue` is next and takes the first slot and the first GPUs that become free. All are locks of the kernel
 * (flock), so that whatever kills a job also frees its place. They are closed for the command: what it leaves running in
 * the background does not keep the place.
 */
export function localScript(order: JobOrder, places: LocalPlaces): string {
  return jobScript(order, {
    id: '"$$.$RANDOM$RANDOM"',
    queue: queueLines(order, places),
    command: commandLines(order),
  });
}

const queueLines = ({ resources }: JobOrder, { slotsDir, slots, gpus }: LocalPlaces): readonly string[] => [
  // Names the very process, so that neither a later one with its number nor one of another boot is taken for it.
  '{ cat "/proc/$$/stat"; cat /proc/sys/kernel/random/boot_id; uname -n; readlink /proc/self/ns/pid; } >"$dir/claim/process.new"',
  'mv "$dir/claim/process.new" "$dir/claim/process" || exit 98',
  gone,
  `slots=${singleQuoted(slotsDir)}`,
  'held=',
  'mine=',
  'mkdir -p "$slots" || exit 98',
  'exec {next}>"$slots/queue" || exit 98',
  'flock "$next" || exit 98',
  // take KIND HOW-MANY OF: holds as many, or none.
  'take() {',
  '  local got=0 fds= names= k fd',
  '  for ((k = 0; k < $3 && got < $2; k++)); do',
  '    exec {fd}>"$slots/$1-$k" || exit 98',
  '    if flock -n "$fd"; then got=$((got + 1)) fds="$fds $fd" names="$names${names:+,}$k"; else exec {fd}>&-; fi',
  '  done',
  '  if [ "$got" -lt "$2" ]; then for fd in $fds; do eval "exec $fd>&-"; done; return 1; fi',
  '  held="$held$fds" mine=$names',
  '}',
  `until take slot 1 ${slots}; do sleep 0.01; done`,
  ...((resources.gpus ?? 0) > 0
    ? [
        `until take gpu ${resources.gpus} ${gpus}; do sleep 0.01; done`,
        'export CUDA_VISIBLE_DEVICES="$mine" AUTORESEARCH_GPUS="$mine"',
      ]
    : []),
  'exec {next}>&-',
  gone,
];

/** Who was cancelled before it could be ended leaves by itself. */
const gone = 'if [ -e "$dir/cancelled" ]; then exit 99; fi';

/** A batch system ends what takes too long: asked first, then by force, the whole group. */
const commandLines =
  ({ resources: { timeMs } }: JobOrder) =>
  (words: string): readonly string[] => {
    const alone = `  ( for fd in $held; do eval "exec $fd>&-"; done; exec ${words} )`;
    if (timeMs === undefined) return [alone, '  code=$?'];
    return [
      `${alone} &`,
      '  work=$!',
      `  sleep ${timeMs / 1000} &`,
      '  clock=$!',
      '  wait -n',
      '  if kill -0 "$work" 2>/dev/null; then',
      '    trap "" TERM',
      '    : >"$dir/timed-out"',
      '    kill -TERM -- "-$$"',
      '    for ((n = 0; n < 50; n++)); do kill -0 "$work" 2>/dev/null || break; sleep 0.1; done',
      '    kill -KILL -- "-$$"',
      '  fi',
      '  wait "$work"',
      '  code=$?',
      '  kill "$clock" 2>/dev/null',
    ];
  };
