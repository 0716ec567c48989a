import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { AgentsByBackend } from '../../adapters/agents/agents-by-backend.js';
import { callWords } from '../../adapters/agents/call-words.js';
import { tmuxSocket } from '../../adapters/agents/tmux/tmux-names.js';
import { stateDir } from '../../adapters/journal/run-store.js';
import { keptIn } from '../../adapters/kept/kept-files.js';
import { FileLedger } from '../../adapters/ledger/file-ledger.js';
import { type SandboxLevel, sandboxLevel } from '../../adapters/sandbox/sandbox-level.js';
import { systemClock } from '../../adapters/system-clock.js';
import type { Agents } from '../../model/agents/agent.js';
import { FailureError } from '../../model/failure.js';
import { errorLog } from '../../model/files/error-log-path.js';
import type { CommandRunner, Files } from '../../model/ports.js';
import { failureWords } from '../../report/failures/failure-text.js';
import type { AgentPorts } from '../../run/agents/ask-desk.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { studyFiles } from '../project/study-files.js';
import { fencedFor } from './agent-fence.js';
import type { OpenedRun } from './opened-run.js';
import type { RunEnvironment } from './run-environment.js';
import { evidencePlace, spentPlace } from './vault-place.js';
import { watchPorts } from './watch-ports.js';

type Bwrap = Extract<SandboxLevel, { level: 'bwrap' }>;

/** What holds agents in, if anything does. That `bwrap` was wanted and is not there has been refused before. */
async function levelFor({ project, context }: AgentInput): Promise<Bwrap | undefined> {
  const { sandbox = 'none' } = project.resolved.config;
  if (sandbox === 'none') return undefined;
  const found = await sandboxLevel(context.env);
  if (found.level === 'bwrap') return found;
  if (sandbox === 'auto') return undefined;
  throw new FailureError({ code: 'command-not-started', detail: `sandbox: ${found.why}` });
}

interface AgentInput {
  readonly project: Project;
  readonly context: CliContext;
  readonly opened: OpenedRun;
  readonly commands: CommandRunner;
  readonly environment: RunEnvironment;
  readonly files: Files;
}

/** What it takes to ask agents; loaded when the first one is asked. */
export async function agentPorts(input: AgentInput): Promise<AgentPorts> {
  const { project, context, opened } = input;
  const { root, config } = project.resolved;
  // Recordings are made while it works; at any other time nobody has to do anything there.
  const leaveOut = [errorLog, ...(context.flag('record') ? [relative(root, cassettesOf(project))] : [])];
  const isReplay = context.flag('replay');
  const evidence = evidencePlace(root, context, opened.id);
  const level = isReplay ? undefined : await levelFor(input);
  const held = await studyFiles(project);
  return {
    agents: scrubbed(agentsFor({ ...input, held, ...(level ? { level } : {}) }), input.environment),
    // What recordings answer costs nothing, so nothing is set aside for it.
    isFree: ({ backend }) => isReplay || backend === 'replay',
    ledger: new FileLedger({
      root,
      agentId: context.agentId,
      clock: systemClock,
      config,
      loop: project.loopBudget,
      notes: spentPlace(root, context),
    }),
    newCall: () => `${opened.id}-${randomBytes(6).toString('hex')}`,
    flushed: () => opened.journal.flushed(),
    hide: (text) => input.environment.secrets.hide(text),
    held,
    protect: config.protect ?? [],
    folderOf: (dir) => relative(opened.dir, dir),
    keptIn,
    wordsOf: (folder) => callWords(join(opened.dir, folder)),
    ...watchPorts({ project, context, run: opened.id, leaveOut, held, evidence, isFenced: level !== undefined }),
  };
}

/** What an agent printed may hold what it was told in confidence. Nobody else has read it by then. */
const scrubbed = (agents: Agents, { secrets }: RunEnvironment): Agents => ({
  async ask(request, signals) {
    try {
      return await agents.ask(request, signals);
    } finally {
      if (secrets.names.length > 0)
        await (await import('../../adapters/kept/scrub-logs.js')).scrubFolder(request.dir, secrets);
    }
  },
});

/** `--replay` and `--record` are about every agent, whatever its backend. */
function agentsFor(input: AgentInput & { readonly level?: Bwrap; readonly held: readonly string[] }): Agents {
  const { project, context, opened, commands, environment, files, level, held } = input;
  const { root, config } = project.resolved;
  const { secrets, allowed } = environment;
  const cassettes = {
    folder: cassettesOf(project),
    root,
    home: context.env.HOME ?? homedir(),
    run: opened.id,
    hide: (text: string) => secrets.hide(text),
  };
  const replay = async (): Promise<Agents> =>
    new (await import('../../adapters/agents/cassette/replay-agents.js')).ReplayAgents(cassettes);
  if (context.flag('replay')) return once(replay);
  // An agent can read whatever its user can, our environment too.
  const own: CommandRunner = {
    start: (spec) => commands.start({ ...spec, mayKnow: 'all' }),
    close: () => commands.close(),
  };
  const agents = new AgentsByBackend({
    root,
    commands: own,
    ...(level
      ? { fenced: (request) => fencedFor(request, { project, context, commands: own, files, level, held }) }
      : {}),
    clock: systemClock,
    env: context.env,
    allowed,
    prices: config.prices ?? {},
    sessionsDir: join(opened.dir, 'sessions'),
    tmux: () => ({
      socket: tmuxSocket(stateDir(root, context.agentId)),
      prefix: tmuxPrefix(config.name, context.agentId),
    }),
    replay,
    words: (failure) => failureWords(failure).what,
  });
  if (!context.flag('record')) return agents;
  return once(async () => {
    const { RecordingAgents } = await import('../../adapters/agents/cassette/recording-agents.js');
    return new RecordingAgents({ ...cassettes, agents, clock: systemClock });
  });
}

/** Two agent ids never share a session. */
const tmuxPrefix = (study: string, agentId: string): string => (agentId === 'default' ? study : `${study}-${agentId}`);

const cassettesOf = ({ resolved: { root, config } }: Project): string => resolve(root, config.cassettes ?? 'cassettes');

/** Loaded with the first question. */
function once(load: () => Promise<Agents>): Agents {
  let loaded: Promise<Agents> | undefined;
  return {
    async ask(request, signals) {
      loaded ??= load();
      return (await loaded).ask(request, signals);
    },
  };
}
