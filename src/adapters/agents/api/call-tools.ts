import { realpathSync } from 'node:fs';
import type { AgentRequest } from '../../../model/agents/agent.js';
import type { JsonObject } from '../../../model/json.js';
import type { Clock, CommandRunner } from '../../../model/ports.js';
import { loadGlobMatch } from '../../../source/glob.js';
import { CallEnd } from './call-end.js';
import type { CallWatch } from './call-watch.js';
import { runCommandTool } from './command-tool.js';
import { ConfinedFiles } from './confined-files.js';
import { editFileTool, fileInfoTool, readFileTool, writeFileTool } from './file-tools.js';
import { regexSearchWith } from './regex-search.js';
import { listFilesTool, searchCodeTool } from './search-tools.js';
import type { Tool } from './tool.js';
import { finishTool, type ToolBox, type ToolName, toolNames } from './tool-box.js';

export interface CallToolPorts {
  readonly clock: Clock;
  readonly commands: CommandRunner;
  readonly watch: CallWatch;
  readonly sessionsDir: string;
}

/** The tools of one call. Helpers get theirs from the same place, so that the files that they change count together. */
export interface CallTools {
  box(reply: JsonObject, more?: readonly Tool[]): ToolBox;
  /** Without what a helper may not have. */
  helperBox(reply: JsonObject): ToolBox;
}

export async function callTools(request: AgentRequest, ports: CallToolPorts): Promise<CallTools> {
  const names = toolNames(request);
  const { clock, commands, watch } = ports;
  const { cwd, dir } = request;
  const files = new ConfinedFiles(cwd, {
    inScope: await scopeOf(request.scope),
    ownFolders: [realOf(dir), realOf(ports.sessionsDir)],
    changing: changeCounter(request.agent.limits?.files),
  });
  const tools = [
    readFileTool(files),
    writeFileTool(files),
    editFileTool(files),
    listFilesTool(files, watch),
    searchCodeTool(files, { watch, regexSearch: regexSearchWith(clock) }),
    fileInfoTool(files),
    runCommandTool({ commands, clock, watch, cwd, dir, env: commandEnv(request) }),
  ];
  const boxOf = (allowed: (name: ToolName) => boolean, all: readonly Tool[]): ToolBox =>
    new Map(
      all
        .filter(({ name }) => names.has(name as ToolName) && allowed(name as ToolName))
        .map((tool) => [tool.name, tool]),
    );
  return {
    box: (reply, more = []) => boxOf(() => true, [...tools, ...more, finishTool(reply)]),
    helperBox: (reply) => boxOf((name) => name !== 'run_command', [...tools, finishTool(reply)]),
  };
}

/** Commands get the runner's variables; the key is not for them. */
const commandEnv = ({ agent, env }: AgentRequest): { [name: string]: string } => ({
  ...env,
  ...(agent.apiKeyEnv === undefined ? {} : { [agent.apiKeyEnv]: '' }),
});

async function scopeOf(scope: readonly string[] | undefined): Promise<(path: string) => boolean> {
  if (!scope) return () => true;
  const matches = await loadGlobMatch();
  // The library takes `!x` for "everything but x", which would open the scope instead of narrowing it.
  const [but, only] = [scope.filter((glob) => glob.startsWith('!')), scope.filter((glob) => !glob.startsWith('!'))];
  return (path) => only.some((glob) => matches(glob, path)) && !but.some((glob) => matches(glob.slice(1), path));
}

function changeCounter(most: number | undefined): (path: string) => void {
  const changed = new Set<string>();
  return (path) => {
    if (most !== undefined && !changed.has(path) && changed.size >= most)
      throw new CallEnd(
        'too-many-files',
        `${path} would be changed too, and ${most} ${most === 1 ? 'is' : 'are'} the most`,
      );
    changed.add(path);
  };
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
