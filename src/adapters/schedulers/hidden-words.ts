import type { JobOrder } from '../../model/scheduler.js';
import { singleQuoted } from '../../source/shell-quote.js';
import { hideScript } from './hide-script.js';

/** The words that run a job's command; where it is given secrets, through what keeps them out of its logs. */
export function hiddenWords({ run, secrets = [] }: Pick<JobOrder, 'run' | 'secrets'>): string {
  const words = (typeof run === 'string' ? ['sh', '-c', run] : run).map(singleQuoted).join(' ');
  if (secrets.length === 0) return words;
  return `perl -e ${singleQuoted(hideScript)} -- ${secrets.map(singleQuoted).join(' ')} -- ${words}`;
}

/** Lines before the command: without somebody to hide its secrets it is not run at all. They set `code`. */
export function hidingLines({ secrets = [] }: Pick<JobOrder, 'secrets'>): readonly string[] {
  if (secrets.length === 0) return [];
  const why = `this job is given ${secrets.join(', ')}, and without perl here nobody could keep that out of its logs`;
  return [
    'if [ "$code" -eq 0 ] && ! perl -MMIME::Base64 -MPOSIX -MFcntl -e 1 2>/dev/null; then',
    `  echo ${singleQuoted(`autoresearch: ${why}; it was not run`)} >&2`,
    '  code=126',
    'fi',
  ];
}
