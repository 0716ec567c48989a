import { join } from 'node:path';
import type { AgentRequest } from '../../../model/agents/agent.js';
import type { CallFiles, CliDialect, CliInvocation } from '../cli/cli-dialect.js';
import { geminiPolicy } from './gemini-policy.js';
import { GeminiReader } from './gemini-reader.js';

/** Google's gemini-cli, as of 0.61. */
export const gemini: CliDialect = {
  program: 'gemini',
  // Not `GOOGLE_APPLICATION_CREDENTIALS` and its like, which open much more than a model: they have to be named in `passEnv`.
  variables: ['GEMINI_*', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_GENAI_*', ...cloudPlaces()],
  invoke: (request, files) => invocation(request, files),
  reader: (request, around) => new GeminiReader(request, around),
};

/**
 * The policy stands in both tiers that a caller can fill: the upper one is passed over on machines that have policies of
 * their own in `/etc`, the lower one would give way to those anyway.
 */
function invocation(request: AgentRequest, { dir }: CallFiles): CliInvocation {
  const { agent, session } = request;
  const policy = join(dir, 'policy.toml');
  const args = ['--output-format', 'stream-json', '--skip-trust', '--policy', policy, '--admin-policy', policy];
  if (agent.model !== undefined) args.push('--model', agent.model);
  if (session) args.push('--resume', session.id);
  return { args: [...args, ...(agent.args ?? [])], env: variables, files: { [policy]: geminiPolicy(request) } };
}

const variables: CliInvocation['env'] = {
  // It would start itself again with more memory, and the process that we know would only stand by.
  GEMINI_CLI_NO_RELAUNCH: 'true',
  GEMINI_TELEMETRY_ENABLED: 'false',
  NO_COLOR: '1',
};

function cloudPlaces(): readonly string[] {
  return ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_PROJECT_ID', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_VERTEX_BASE_URL'];
}
