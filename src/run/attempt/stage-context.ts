import { resolve } from 'node:path';
import type { ReplyForm } from '../../model/agents/reply.js';
import type { Failure } from '../../model/failure.js';
import type { Task } from '../../model/plan.js';
import type { AttemptFolder, CommandExit } from '../../model/ports.js';
import type {
  AgentEnd,
  AgentWish,
  CommandEnd,
  CommandOptions,
  MendWish,
  Printed,
  StageContext,
} from '../../model/stage.js';
import { jobDoor } from '../jobs/job-door.js';
import { Undisturbed } from '../undisturbed.js';
import type { AttemptInput, AttemptPorts } from './attempt-ports.js';
import { boundedMatches, boundedSearch } from './bounded-pattern.js';
import type { Supervisor } from './supervise.js';
import { taskVariables } from './task-variables.js';

interface ContextParts {
  readonly ports: AttemptPorts;
  readonly folder: AttemptFolder;
  readonly supervisor: Supervisor;
}

/** The behaviour's window on the world: commands, files, templates and a log, all of them supervised. */
export function stageContext(input: AttemptInput, { ports, folder, supervisor }: ContextParts): StageContext {
  const { task } = input;
  const cwd = resolve(ports.workspace.root, task.cwd);
  const env = taskVariables(task, { ...input, root: ports.workspace.root });

  const undisturbed = new Undisturbed();
  // Whoever has been at work may have put a pipe there.
  let { isNew } = folder;
  const start = async (run: string | readonly string[], options: CommandOptions): Promise<CommandEnd & Ended> => {
    const ending = supervisor.ending();
    if (ending) return { ok: false, failure: ending, ...(options.capture ? nothingPrinted : {}) };
    const printed = options.capture ? ports.printedSince(folder) : undefined;
    // A behaviour that submits jobs itself does the rest here.
    if (task.on && !task.description.jobs) {
      const { env: own, cwd: where } = options;
      const end = await job({ run, ...(own ? { env: own } : {}), ...(where === undefined ? {} : { cwd: where }) });
      const { exitCode } = end.job;
      return { ...end, ...printed?.(), ...(exitCode === undefined ? {} : { exitCode }) };
    }
    const running = ports.commands.start({
      run,
      cwd: options.cwd === undefined ? cwd : resolve(cwd, options.cwd),
      env: { ...ports.passedTo(task), ...env, ...options.env },
      stdoutFile: folder.stdoutFile,
      stderrFile: folder.stderrFile,
      ...(isNew ? { areLogsNew: isNew } : {}),
      ...mayKnow(task),
    });
    isNew = undefined;
    supervisor.adopt(running);
    const exit = await running.exit;
    const failure = supervisor.ending() ?? commandFailure(exit, run);
    const end: CommandEnd = failure ? { ok: false, failure } : { ok: true };
    if (!printed) return end;
    return { ...end, ...printed(), ...(exit.kind === 'exited' ? { exitCode: exit.exitCode } : {}) };
  };
  const command = (run: string | readonly string[], options: CommandOptions = {}): Promise<CommandEnd & Ended> =>
    undisturbed.run(options.capture === true, () => start(run, options));

  const submit = jobDoor(input, { ports, supervisor, cwd, env });
  const job: StageContext['job'] = (wish) => {
    isNew = undefined;
    return submit(wish);
  };

  /** The runner ends an agent as it ends a command: asked first, then by force, and the attempt waits for it. */
  const supervised = async <End extends AgentEnd<ReplyForm>>(
    start: (call: Call) => Promise<End>,
  ): Promise<End | Failing> => {
    const ending = supervisor.ending();
    if (ending) return { ok: false, failure: ending };
    isNew = undefined;
    const [stop, kill] = [new AbortController(), new AbortController()];
    const asked = start({ env, signals: { stop: stop.signal, kill: kill.signal } });
    const exit = asked.then(
      (): CommandExit => ({ kind: 'exited', exitCode: 0 }),
      (): CommandExit => ({ kind: 'exited', exitCode: 1 }),
    );
    supervisor.adopt({ exit, stop: () => stop.abort('a stop'), kill: () => kill.abort('a kill') });
    const end = await asked;
    const failure = supervisor.ending();
    return failure ? { ok: false, failure } : end;
  };
  const written = <End extends { readonly ok: boolean }>(write: () => Promise<End>): Promise<End> =>
    input.bare ? input.bare.afterWriting(write) : write();
  const ask = (wish: AgentWish): Promise<AgentEnd<ReplyForm>> => {
    const asked = () => supervised((call) => input.ask(wish, call));
    return wish.access === 'write' ? written(asked) : asked();
  };

  /** A command mends as an agent does, but says nothing of what it did. */
  const mend = async (wish: MendWish): Promise<AgentEnd<'work'>> => {
    const { fix } = task.retry;
    if (typeof fix !== 'object') return written(() => supervised((call) => input.mend(wish, call)));
    const end = await written(() => command(fix.run, { env: { AUTORESEARCH_ERROR: wish.what } }));
    if (end.ok) return { ok: true, reply: { outcome: 'done', summary: 'the command passed', files: [] }, files: [] };
    const isOver = supervisor.ending() !== undefined;
    const summary = ports.failureWords(end.failure);
    return isOver ? end : { ok: false, failure: { code: 'agent-gave-up', agent: fix.run, summary } };
  };

  const context: StageContext = {
    task: task.id,
    stage: task.stage,
    inputs: task.inputs,
    outputs: task.outputs,
    matrix: task.matrix ?? {},
    vars: input.vars,
    attempt: input.attempt,
    root: ports.workspace.root,
    cwd,
    get signal() {
      return supervisor.signal;
    },
    command: command as StageContext['command'],
    ask: ask as StageContext['ask'],
    job,
    parameters: input.parameters,
    mend,
    listFiles: (patterns) => ports.files.expand(patterns),
    async matching(patterns, paths) {
      const match = await (await import('../../source/glob.js')).loadGlobMatch();
      return paths.filter((path) => patterns.some((pattern) => match(pattern, path)));
    },
    readFile: (path) => ports.workspace.readFile(path),
    finds: boundedSearch,
    readMustHaves: async (path) => ports.readMustHaves(await ports.workspace.readFile(path), path),
    fileFacts: input.fileFacts,
    digest: (path) => (ports.files.stamp(path) ? ports.files.digest(path) : undefined),
    matches: boundedMatches,
    writeFile: (path, content) => ports.workspace.writeFile(path, content),
    parseData: (text, form) => ports.parseData(text, form),
    readValues: (wish) => ports.readValues(wish, context),
    evaluate: (expression, names) => ports.evaluate(expression, names),
    schemaProblem: (path, schema) => ports.checkSchema(path, schema),
    render: (template, data) => ports.render(template, data),
    drawFigure: (spec, wish) => ports.drawFigure(spec, wish),
    log: (line) => folder.log(line),
    // At the end, because all that comes after a part that may be missing is put in one by one.
    ...(task.scope ? { scope: task.scope } : {}),
    ...(task.agent ? { agent: task.agent.name } : {}),
    ...(fixerOf(task) === undefined ? {} : { fixer: fixerOf(task)! }),
    ...(input.trouble ? { trouble: input.trouble } : {}),
    ...(task.part ? { part: task.part } : {}),
    ...(input.feedback === undefined ? {} : { feedback: input.feedback }),
  };
  return context;
}

/** An agent may find what its variables do not hold, and leave it in what is run later. */
export const mayKnow = ({ agent, retry: { fix } }: Task): { readonly mayKnow?: 'all' } =>
  agent || typeof fix === 'string' ? { mayKnow: 'all' } : {};

type Call = Parameters<AttemptInput['ask']>[1];
type Failing = { readonly ok: false; readonly failure: Failure };

export const fixerOf = ({ retry: { fix } }: Task): string | undefined => (typeof fix === 'object' ? fix.run : fix);

type Ended = Partial<Printed> & { readonly exitCode?: number };

const nothingPrinted: Printed = { stdout: '', stderr: '', isCut: false };

export function commandFailure(exit: CommandExit, run: string | readonly string[]): Failure | undefined {
  switch (exit.kind) {
    case 'exited':
      if (exit.exitCode === 0) return undefined;
      // The shell's own word for a program it could not find.
      if (exit.exitCode === 127)
        return { code: 'command-not-found', command: typeof run === 'string' ? run : (run[0] ?? '') };
      return { code: 'command-failed', exitCode: exit.exitCode };
    case 'signalled':
      return { code: 'command-killed', signal: exit.signal };
    case 'not-started':
      return exit.failure;
  }
}
