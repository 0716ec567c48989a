import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentRequest } from '../../../model/agents/agent.js';

/**
 * What of the project's files keeps opencode from being asked. It runs plug-ins that it finds beside the project, and no
 * switch of 1.18 keeps it from that every time. Who may write could run them anyway; who may only read must not, because
 * somebody else may have put them there.
 */
export function projectPlugins({ access, cwd }: Pick<AgentRequest, 'access' | 'cwd'>): string | undefined {
  if (access === 'write') return undefined;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = names.map((name) => join(folder, name)).find((path) => existsSync(path));
    // A person's own settings are in the home folder, and so is opencode itself.
    if (found !== undefined && folder !== homedir()) return found;
    if (folder === dirname(folder) || existsSync(join(folder, '.git'))) return undefined;
  }
}

const names = ['.opencode', 'opencode.json', 'opencode.jsonc'];
