import { join } from 'node:path';
import type { AgentRequest } from '../../../model/agents/agent.js';
import type { CliDialect, CliInvocation } from '../cli/cli-dialect.js';
import { CodexReader } from './codex-reader.js';

/** OpenAI's codex, as of 0.166: `codex exec`, which prints an event a line. */
export const codex: CliDialect = {
  program: 'codex',
  variables: ['OPENAI_*', 'CODEX_*'],
  invoke: (request, { dir }) => invocation(request, join(dir, 'tmp')),
  reader: (request, around) => new CodexReader(request, around),
};

/**
 * Its `resume` does not know all the options of `exec`, but heeds those that stand before it. So everything comes first, what
 * the config adds included.
 */
function invocation({ agent, access, cwd, session, fenced }: AgentRequest, tmp: string): CliInvocation {
  const own = agent.args ?? [];
  const args = ['exec', '--json', '--skip-git-repo-check', '-C', cwd];
  // Naming a sandbox twice is an error, and whoever names one in the config has a reason.
  if (!own.some((arg) => namesSandbox.test(arg)))
    // Its own sandbox cannot be made inside ours, and ours holds.
    args.push('--sandbox', fenced ? 'danger-full-access' : access === 'write' ? 'workspace-write' : 'read-only');
  if (agent.model !== undefined) args.push('--model', agent.model);
  args.push(...settings.flatMap((setting) => ['-c', setting]), ...own);
  if (session) args.push('resume', '--', session.id);
  // It logs each call that it turns down, and then the idle limit would not notice a model that does nothing else.
  return { args: [...args, '-'], env: { RUST_LOG: 'off', TMPDIR: tmp }, files: { [join(tmp, '.keep')]: '' } };
}

const namesSandbox = /^(?:-s|--sandbox\b|--dangerously-bypass-approvals-and-sandbox$|--yolo$)/;

const settings: readonly string[] = [
  'approval_policy="never"',
  'check_for_update_on_startup=false',
  'analytics.enabled=false',
  'features.plugins=false',
  // A server that is gone would be waited for without end.
  'features.unbounded_connection_retries=false',
  // Its helpers leave no line that could be counted, and their tokens are in no sum. Newer models have them even where the
  // features are off, so there is room for one agent only.
  'features.multi_agent=false',
  'features.multi_agent_v2.enabled=false',
  'features.multi_agent_v2.max_concurrent_threads_per_session=1',
  // Its sandbox puts an empty `.git` into each folder that may be written, and /tmp is everybody's: a folder of the call's
  // own takes its place.
  'sandbox_workspace_write.exclude_slash_tmp=true',
  // With a goal it goes on after its answer.
  'features.goals=false',
];
