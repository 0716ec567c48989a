import { resolve } from 'node:path';
import type { ReplyForm } from '../../model/agents/reply.js';
import { FailureError } from '../../model/failure.js';
import type { Json } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import type { Files, Workspace } from '../../model/ports.js';
import type { AgentWish, Behaviour, StageContext } from '../../model/stage.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import { boundedSearch } from '../attempt/bounded-pattern.js';
import { withProtocol } from './reply-forms.js';

export interface RenderTools {
  readonly files: Files;
  readonly workspace: Workspace;
  readonly vars: { readonly [name: string]: Json };
  render: AttemptPorts['render'];
  readMustHaves: AttemptPorts['readMustHaves'];
}

/**
 * What the agent of a task would be sent first. The behaviour itself makes the prompt, in a world in which nothing else
 * can be done; it is ended as soon as it asks. Undefined: it never asked.
 */
export async function renderPrompt(task: Task, behaviour: Behaviour, tools: RenderTools): Promise<string | undefined> {
  let sent: string | undefined;
  const asked = new Error('asked');
  const refuse = (what: string) => (): never => {
    const detail = `${behaviour.name} wants to ${what} before it asks its agent, so its prompt cannot be shown ahead`;
    throw new FailureError({ code: 'behaviour-failed', detail });
  };
  const { workspace } = tools;
  const context: StageContext = {
    task: task.id,
    stage: task.stage,
    inputs: task.inputs,
    outputs: task.outputs,
    matrix: task.matrix ?? {},
    vars: tools.vars,
    ...(task.scope ? { scope: task.scope } : {}),
    ...(task.agent ? { agent: task.agent.name } : {}),
    attempt: 1,
    ...(task.part ? { part: task.part } : {}),
    root: workspace.root,
    cwd: resolve(workspace.root, task.cwd),
    matching: async () => [],
    signal: new AbortController().signal,
    command: refuse('run a command'),
    job: refuse('submit a job'),
    parameters: { first: () => ({}), held: () => ({}), ofCheck: () => ({}), change: refuse('change a parameter') },
    writeFile: refuse('write a file'),
    matches: refuse('search a text'),
    parseData: refuse('read data'),
    readValues: refuse('read values'),
    evaluate: refuse('work out an expression'),
    schemaProblem: refuse('check a schema'),
    drawFigure: refuse('draw a figure'),
    async ask(wish: AgentWish<ReplyForm>) {
      sent = withProtocol(wish.prompt, wish.reply);
      throw asked;
    },
    mend: refuse('have something mended'),
    listFiles: (patterns) => tools.files.expand(patterns),
    readFile: (path) => workspace.readFile(path),
    fileFacts(path) {
      const stamp = tools.files.stamp(path);
      return stamp && { sizeBytes: stamp.size, isOlder: false };
    },
    digest: (path) => (tools.files.stamp(path) ? tools.files.digest(path) : undefined),
    finds: boundedSearch,
    readMustHaves: async (path) => tools.readMustHaves(await workspace.readFile(path), path),
    render: (template, data) => tools.render(template, data),
    log: () => {},
  };
  try {
    await behaviour.run(task.options, context);
  } catch (error) {
    if (error !== asked && sent === undefined) throw error;
  }
  return sent;
}
