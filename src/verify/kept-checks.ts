import type { JournalEntry } from '../model/events/event.js';
import type { KeptFiles } from '../model/files/kept-file.js';
import type { Check } from '../model/gates/check.js';
import { failed, passed, some } from './check.js';
import type { RunEvidence } from './evidence.js';

/** What agents were asked, what they answered and what they printed is what it was when the call ended. */
export function keptChecks({ entries, keptNow }: RunEvidence): readonly Check[] {
  const calls = callsIn(entries);
  return [
    ...calls.flatMap(({ folder, kept }): Check[] => {
      if (!kept) return [];
      const problems = Object.entries(kept).flatMap(([name, then]) => {
        const now = keptNow(folder, name, then.bytes);
        if (!now) return [`${name} is gone`];
        return now.digest === then.digest ? [] : [`${name} was changed after the call ended`];
      });
      return [
        problems.length === 0
          ? passed('call', folder, 'as it was when the call ended')
          : failed('call', folder, some(problems)),
      ];
    }),
    ...copyChecks(calls, keptNow),
  ];
}

interface Call {
  readonly folder: string;
  /** Absent of a call that was cut short, and in journals of earlier versions. */
  readonly kept: KeptFiles | undefined;
}

function callsIn(entries: readonly JournalEntry[]): readonly Call[] {
  const ends = new Map<string, KeptFiles | undefined>();
  for (const entry of entries)
    if (entry.type === 'agent-completed' || entry.type === 'agent-failed') ends.set(entry.call, entry.kept);
  return entries.flatMap((entry) =>
    entry.type === 'agent-invoked' && entry.folder !== undefined
      ? [{ folder: entry.folder, kept: ends.get(entry.call) }]
      : [],
  );
}

/** The last question and answer stand beside the logs of the attempt too, and people look there first. */
function copyChecks(calls: readonly Call[], keptNow: RunEvidence['keptNow']): Check[] {
  const attempts = new Map<string, Call[]>();
  for (const call of calls) {
    const attempt = call.folder.slice(0, call.folder.lastIndexOf('/'));
    attempts.set(attempt, [...(attempts.get(attempt) ?? []), call]);
  }
  return [...attempts].flatMap(([attempt, own]) => {
    // One that was cut short may have left its copy, and nobody knows what that held.
    if (own.some(({ kept }) => !kept)) return [];
    return ['prompt.md', 'reply.json'].flatMap((name) => {
      const now = keptNow(attempt, name);
      if (!now || own.some(({ kept }) => kept?.[name]?.digest === now.digest)) return [];
      return [failed('call', `${attempt}/${name}`, 'not what any call of the attempt left')];
    });
  });
}
