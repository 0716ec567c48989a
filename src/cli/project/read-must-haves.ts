import type { MustHavesReading } from '../../model/stage.js';

/** Of all tasks in the file together. A task file with mistakes says nothing that could be relied on. */
export async function readMustHaves(text: string, file: string): Promise<MustHavesReading> {
  const { readTasks } = await import('../../tasks/read-tasks.js');
  const read = await readTasks(text, { file });
  if (!read.ok) return { ok: false, problems: read.error.map(({ line, message }) => `${file}:${line}: ${message}`) };
  const all = read.value.tasks.map(({ mustHaves }) => mustHaves);
  return {
    ok: true,
    mustHaves: {
      truths: all.flatMap(({ truths }) => truths),
      artifacts: all.flatMap(({ artifacts }) => artifacts),
      keyLinks: all.flatMap(({ keyLinks }) => keyLinks),
    },
  };
}
