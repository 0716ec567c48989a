import { spawnSync } from 'node:child_process';
import { matrixConfig } from '../lib/graphs.mjs';
import { measure, ratio } from '../lib/measure.mjs';
import { bin, didAll, project } from '../lib/ours.mjs';

/** The view in a terminal of 40 × 120 against no view at all, both under script(1) so that both pay for the terminal. */
export function liveView({ rounds, quick }) {
  const missing =
    spawnSync('sh', ['-c', 'command -v script && command -v stty']).status === 0 ? undefined : 'script(1) and stty(1)';
  return (quick ? [30, 300] : [30, 300, 3000]).map((count) => {
    const contender = (name, reporter) => {
      const made = project(`live-view/${reporter}-${count}`, { 'autoresearch.config.json': matrixConfig(count) });
      const command = `stty rows 40 cols 120; exec '${process.execPath}' '${bin}' exec --new --jobs 2 --reporter ${reporter}`;
      return {
        name,
        base: 'silent',
        ...made,
        missing,
        env: { CI: '', TERM: 'xterm-256color' },
        run: ['script', '-qec', command, '/dev/null'],
        check: didAll(made.cwd, count),
      };
    };
    const rows = measure([contender('silent', 'silent'), contender('live view', 'tree')], {
      rounds,
      title: `live view, ${count}`,
    });
    return {
      title: `Live view: ${count} tasks`,
      rows,
      targets: [
        {
          target: `live view of ${count} tasks`,
          unit: '× silent',
          limit: 1.1,
          measured: ratio(rows, 'live view'),
        },
      ],
    };
  });
}
