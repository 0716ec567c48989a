import { mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../command/environment.js';

/**
 * Where a coding CLI keeps who is logged in and its sessions; made when missing. Not the whole home folder: what stands in
 * a `.gitconfig` or a `.bashrc` is run outside of the fence the next time.
 */
export function homeFoldersOf(backend: string, env: Environment): readonly string[] {
  const folders = (places[backend] ?? []).flatMap(({ name, variable }) => {
    const own = variable === undefined ? undefined : env[variable];
    if (own !== undefined && isAbsolute(own)) return [own];
    return env.HOME !== undefined && isAbsolute(env.HOME) ? [join(env.HOME, name)] : [];
  });
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folders;
}

const places: { readonly [backend: string]: readonly { readonly name: string; readonly variable?: string }[] } = {
  claude: [{ name: '.claude', variable: 'CLAUDE_CONFIG_DIR' }],
  codex: [{ name: '.codex', variable: 'CODEX_HOME' }],
  gemini: [{ name: '.gemini' }],
  opencode: ['.config', '.local/share', '.local/state', '.cache'].map((place) => ({ name: `${place}/opencode` })),
};
