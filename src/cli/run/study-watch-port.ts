import { watchStudy } from '../../adapters/kept/study-watch.js';
import type { Files } from '../../model/ports.js';
import { changedWords } from '../../report/live/found-text.js';
import type { AttemptPorts } from '../../run/attempt/attempt-ports.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { isMadeIn, judgingFiles, ownCode } from '../project/study-files.js';
import { evidencePlace } from './vault-place.js';

interface StudyInput {
  readonly project: Project;
  readonly context: CliContext;
  readonly files: Files;
  readonly run: string;
}

/** Notices when what says what the study is, or what it is judged by, changes while the run goes by what it said. What a stage makes may. */
export function studyPort({ project, context, files, run }: StudyInput): Pick<AttemptPorts, 'studyChange'> {
  const { root } = project.resolved;
  const watched = [...new Set([...ownCode(project), ...files.expand([...judgingFiles(project)])])];
  const watch = watchStudy({ root, files: watched, evidence: () => evidencePlace(root, context, run) });
  return {
    async studyChange({ id: task }) {
      const changed = watch.changed();
      if (changed.length === 0) return undefined;
      const isMade = await isMadeIn(project);
      const own = changed.filter((path) => !isMade(path));
      if (own.length === 0) return undefined;
      const change = { files: own, evidence: watch.keep(own) };
      return { ...change, what: changedWords({ ...change, task }).what };
    },
  };
}
