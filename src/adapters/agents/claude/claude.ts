import type { AgentRequest } from '../../../model/agents/agent.js';
import type { CallFiles, CliDialect, CliInvocation } from '../cli/cli-dialect.js';
import { ClaudeReader } from './claude-reader.js';
import { claudeTools, helperName } from './claude-tools.js';

/** Anthropic's Claude Code, as of 2.1.197 and 2.1.325. */
export const claude: CliDialect = {
  program: 'claude',
  // Not those of the clouds that offer the model too: their keys open much more, so they have to be named in `passEnv`.
  variables: ['ANTHROPIC_*', 'CLAUDE_CODE_*', 'CLAUDE_CONFIG_DIR'],
  invoke: (request, files) => ({ args: argsOf(request), env: variables, ...rewritten(request.prompt, files) }),
  reader: (request) => new ClaudeReader(request, Date.now),
};

/**
 * No file of settings is read, neither the user's nor the project's: hooks, permissions and memories would change what
 * happens. Who is logged in is kept elsewhere. What is not allowed by name is denied, as nobody is there to be asked.
 */
function argsOf(request: AgentRequest): CliInvocation['args'] {
  const { agent, helpers, session, replySchema } = request;
  const { limits } = agent;
  const tools = claudeTools(request);
  const args = ['-p', '--verbose', '--setting-sources=', '--strict-mcp-config', '--permission-mode', 'dontAsk'];
  args.push('--tools', tools.names.join(','));
  if (tools.allowed.length > 0) args.push('--allowedTools', ...tools.allowed);
  if (tools.denied.length > 0) args.push('--disallowedTools', ...tools.denied);
  if (helpers > 0) args.push('--agents', JSON.stringify({ [helperName]: tools.helper }));
  if (agent.model !== undefined) args.push('--model', agent.model);
  if (limits?.turns !== undefined) args.push('--max-turns', String(limits.turns));
  if (limits?.usd !== undefined) args.push('--max-budget-usd', String(limits.usd));
  // Without it a long answer is silent until it is whole, which looks like a program that hangs.
  if (limits?.idle !== undefined) args.push('--include-partial-messages');
  // In one word, so that an id can never be read as an option.
  if (session) args.push(`--resume=${session.id}`);
  args.push('--json-schema', JSON.stringify(replySchema));
  // The lists above take whatever follows them, so an option with one value stands before the words of the config.
  return [...args, '--output-format', 'stream-json', ...(agent.args ?? [])];
}

/** A prompt that begins with a slash would be taken for a command of its own, and no model would ever see it. */
const rewritten = (prompt: string, files: CallFiles): Pick<CliInvocation, 'files'> =>
  /^\s*\//.test(prompt) ? { files: { [files.prompt]: `The task:\n${prompt}` } } : {};

const variables: CliInvocation['env'] = {
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // Its own are ten, over three minutes; who asked has better plans for the time.
  CLAUDE_CODE_MAX_RETRIES: '2',
  // Helpers in the background would go on after the answer, and the built-in ones may do more than ours.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS: '1',
};
