import type { AgentRequest } from '../../../model/agents/agent.js';
import type { JsonObject } from '../../../model/json.js';
import type { CliDialect, CliInvocation } from '../cli/cli-dialect.js';
import { opencodePermission } from './opencode-permission.js';
import { projectPlugins } from './opencode-project.js';
import { OpencodeReader } from './opencode-reader.js';

/** opencode, as of 1.18: `opencode run`, which prints an event a line. */
export const opencode: CliDialect = {
  program: 'opencode',
  // Not those of the clouds, whose keys open much more than a model: they have to be named in `passEnv`.
  variables: [
    ...['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY'],
    ...['GOOGLE_GENERATIVE_AI_API_KEY', 'MISTRAL_API_KEY', 'DEEPSEEK_API_KEY', 'XAI_API_KEY', 'GROQ_API_KEY'],
    ...['CEREBRAS_API_KEY', 'FIREWORKS_API_KEY', 'TOGETHER_API_KEY', 'MOONSHOT_API_KEY', 'ZHIPU_API_KEY'],
  ],
  refuse(request) {
    const found = projectPlugins(request);
    return found === undefined ? undefined : `opencode would run what ${found} says, so it is not asked`;
  },
  invoke: (request) => ({ args: argsOf(request), env: variablesOf(request) }),
  reader: (request) => new OpencodeReader(request),
};

function argsOf({ agent, session, task, role }: AgentRequest): readonly string[] {
  // Its log names a model that is not there; its events do not.
  const args = ['run', '--format', 'json', '--print-logs', '--log-level', 'ERROR', '--agent', agentName];
  if (agent.model !== undefined) args.push('--model', agent.model);
  if (session) args.push('--session', session.id);
  // Without a title it asks the model for one, in a call that no event tells of.
  else args.push('--title', `${role} ${task}`);
  return [...args, ...(agent.args ?? [])];
}

const agentName = 'autoresearch';

/**
 * The project's own files are not read: they may hold plug-ins and rights that a former agent wrote. The rights are given
 * three times: to our agent, to any other (an unknown one is replaced by opencode without an error, and helpers are others),
 * and in the variable that would otherwise win over both.
 */
function variablesOf(request: AgentRequest): CliInvocation['env'] {
  const permission = opencodePermission(request);
  const config: JsonObject = {
    autoupdate: false,
    share: 'disabled',
    permission,
    agent: { [agentName]: { mode: 'primary', permission } },
  };
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_PERMISSION: JSON.stringify(permission),
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    // Neither of the two keeps every plug-in of the project out, see `projectPlugins`.
    OPENCODE_PURE: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_SHARE: '1',
    OPENCODE_AUTO_SHARE: '0',
    NO_COLOR: '1',
  };
}
