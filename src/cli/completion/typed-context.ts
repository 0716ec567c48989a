import { resolve } from 'node:path';
import type { CliContext } from '../context.js';

/** The study that a line which is still being typed is about: it may name a config, a folder or an agent id. */
export function contextOfWords(words: readonly string[], context: CliContext): CliContext {
  const value = (option: string): string | undefined => {
    const at = words.lastIndexOf(`--${option}`);
    const next = at === -1 || at >= words.length - 2 ? undefined : words[at + 1];
    return next ?? words.find((word) => word.startsWith(`--${option}=`))?.slice(option.length + 3);
  };
  const cwd = resolve(context.cwd, value('cwd') ?? '.');
  const config = value('config');
  const agentId = value('agent-id');
  return {
    ...context,
    cwd,
    ...(config === undefined ? {} : { configFile: resolve(cwd, config) }),
    ...(agentId === undefined ? {} : { agentId }),
  };
}
