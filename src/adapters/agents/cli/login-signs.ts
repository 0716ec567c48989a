import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../../command/environment.js';

/**
 * Whether something says that a coding CLI may talk to its service: a file that a login leaves, or a variable. Nothing is
 * read but names, and only a call would tell for sure.
 */
export function loginSign(backend: string, env: Environment): 'seen' | 'not-seen' | 'unknown' {
  const sign = signs[backend];
  if (!sign) return 'unknown';
  if (Object.entries(env).some(([name, value]) => value && sign.variables.test(name))) return 'seen';
  const own = sign.variable === undefined ? undefined : env[sign.variable];
  const folder = own !== undefined && isAbsolute(own) ? own : env.HOME && join(env.HOME, sign.folder);
  if (!folder) return 'unknown';
  if (sign.files.some((file) => existsSync(join(folder, file)))) return 'seen';
  // There it goes into the keychain.
  return process.platform === 'darwin' ? 'unknown' : 'not-seen';
}

interface Signs {
  readonly variables: RegExp;
  readonly folder: string;
  /** Names another folder. */
  readonly variable?: string;
  readonly files: readonly string[];
}

const signs: { readonly [backend: string]: Signs } = {
  claude: {
    variables: /^(ANTHROPIC_(API_KEY|AUTH_TOKEN)|CLAUDE_CODE_(OAUTH_TOKEN|USE_BEDROCK|USE_VERTEX))$/,
    folder: '.claude',
    variable: 'CLAUDE_CONFIG_DIR',
    files: ['.credentials.json'],
  },
  codex: {
    variables: /^(OPENAI|CODEX)_API_KEY$/,
    folder: '.codex',
    variable: 'CODEX_HOME',
    files: ['auth.json'],
  },
  gemini: {
    variables: /^(GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_GENAI_USE_\w+)$/,
    folder: '.gemini',
    files: ['oauth_creds.json'],
  },
  opencode: {
    variables:
      /^(ANTHROPIC|OPENAI|OPENROUTER|GEMINI|GOOGLE_GENERATIVE_AI|MISTRAL|DEEPSEEK|XAI|GROQ|CEREBRAS|FIREWORKS|TOGETHER|MOONSHOT|ZHIPU|OPENCODE)_API_KEY$/,
    folder: '.local/share/opencode',
    files: ['auth.json'],
  },
};
