import type { JobState } from '../../model/state/job-state.js';
import type { JobErrand, JobPorts, JobResult } from './job-errand.js';
import { failureOf } from './job-failure.js';

/** The result of a job that an earlier runner saw to its end, and died. */
export function resultOf(
  { tag, id, cluster, before, end }: JobState,
  errand: JobErrand,
  { ports, followed }: { readonly ports: JobPorts; readonly followed: boolean },
): JobResult {
  const log = ports.follow(tag, errand.folder);
  log.copy();
  const failure = failureOf(end!, { cluster, id: id ?? tag, run: errand.run });
  const facts = { end: end!, tag, dir: ports.folderOf(tag), adopted: before, lines: log.lines(), followed };
  return { ...facts, ...(failure ? { failure } : {}), ...(id === undefined ? {} : { id }) };
}
