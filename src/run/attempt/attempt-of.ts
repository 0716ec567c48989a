import type { Place } from '../../model/files/isolation.js';
import { askForTask } from '../agents/task-asker.js';
import { mendForTask } from '../errors/task-mender.js';
import { fileFacts, runBeganNs } from '../freshness/file-facts.js';
import type { AttemptInput, AttemptPorts } from './attempt-ports.js';
import type { TaskTry, TryTools } from './try-tools.js';

/** In the project they are what they are; making them anew for every task would take longer than most of what it does. */
export const portsIn = (place: Place, { ports }: TryTools): AttemptPorts =>
  place === ports ? ports : { ...ports, ...place };

/** Everything that the behaviour of a task may reach in one attempt. */
export function attemptOf(place: Place, { task, one }: TaskTry, tools: TryTools): AttemptInput {
  const { run, vars, behaviours, stop, desk, state } = tools;
  const { folder, attempt: number, trouble } = one;
  const quoted = trouble ? { quoted: trouble.lines } : {};
  const question = { task, attempt: number, folder, nameOf: callNames() };
  const asking = () => ({ ...tools, desk, ports: portsIn(place, tools) });
  return {
    task,
    behaviour: behaviours.get(task.uses)!,
    run,
    runBeganNs: runBeganNs(state()),
    mustBeNew: tools.mustBeNew,
    vars,
    ...one,
    fileFacts: (path) => fileFacts(path, place.files, { ...state(), past: tools.past }, { task, plan: tools.plan() }),
    ask: (wish, call) => askForTask(wish, { ...question, ...quoted, ...call }, asking()),
    mend: (wish, call) => mendForTask(wish, { ...question, ...call }, asking()),
    parameters: {
      first: () => tools.parameters.first(task),
      held: () => tools.parameters.held(task),
      change: (set, diagnosis) => tools.parameters.change(task, set, diagnosis),
      ofCheck: (check) => tools.parameters.ofCheck(check),
    },
    ...(tools.jobDesk
      ? {
          job: async (errand, signals) =>
            (await tools.jobDesk!()).run({ ...errand, task, attempt: number, folder }, signals),
        }
      : {}),
    stop: stop.stopping,
    kill: stop.killing,
  };
}

/** No two calls of an attempt have the same folder. */
function callNames(): (role: string) => string {
  const calls = new Map<string, number>();
  return (role) => {
    const number = (calls.get(role) ?? 0) + 1;
    calls.set(role, number);
    // What mends after the attempt has failed is a `fixer`.
    return `${role === 'fixer' ? 'closer' : role}-${number}`;
  };
}
