import { cliPackages } from '../../adapters/agents/cli/cli-packages.js';
import { type FoundProgram, findProgram } from '../../adapters/command/find-program.js';
import { firstProgram } from '../../adapters/command/first-program.js';
import { agentsOf } from '../../compile/task/agents-used.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Config, Stage } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';

export interface Machine {
  readonly root: string;
  readonly path: string | undefined;
}

/** What is wrong with the program of an agent on this machine: its first question would fail. */
export function missingProgram(
  name: string,
  { stages, agents }: Pick<Config, 'stages' | 'agents'>,
  machine: Machine,
): readonly Diagnostic[] {
  const { backend, path, run = '', optional } = agents![name]!;
  if (optional) return [];
  if (backend === 'command') return missingCommand(name, run, { stages, machine });
  const install = cliPackages[backend];
  const program = path ?? backend;
  if (install === undefined || findProgram(program, machine.root, machine.path).kind === 'found') return [];
  return [
    {
      code: 'AR326',
      message: `${program}, the program of agent "${name}", is not there`,
      at: { kind: 'config', pointer: pointerOf('agents', name, path === undefined ? 'backend' : 'path') },
      hint: `Install it with: npm install -g ${install}; or let recordings answer: exec --replay`,
    },
  ];
}

export interface Around {
  readonly stages: Config['stages'];
  readonly machine: Machine;
}

/** How the program of a `command` stands; `found` too where that cannot be told before it runs. */
export function commandStands(name: string, run: string, { stages, machine }: Around): FoundProgram['kind'] {
  const program = firstProgram(run);
  const asking = Object.values(stages).filter((stage) => agentsOf(stage).includes(name));
  if (program === undefined || mayBeElsewhere(program, asking) || mayBeMade(program, stages)) return 'found';
  return findProgram(program, machine.root, machine.path).kind;
}

function missingCommand(name: string, run: string, around: Around): Diagnostic[] {
  const kind = commandStands(name, run, around);
  if (kind === 'found') return [];
  return [
    {
      code: 'AR326',
      message: `${firstProgram(run)}, the program of agent "${name}", ${standing[kind]}`,
      at: { kind: 'config', pointer: pointerOf('agents', name, 'run') },
      hint: `${help[kind]}; or let recordings answer: exec --replay`,
    },
  ];
}

type Wrong = Exclude<FoundProgram['kind'], 'found'>;
const standing: Record<Wrong, string> = { missing: 'is not there', 'not-executable': 'may not be executed' };
const help: Record<Wrong, string> = {
  missing: 'Put it there, or correct "run": paths are relative to the project, names are looked for in PATH',
  'not-executable': 'Make it executable with chmod +x, or name what runs it, such as: sh FILE',
};

/** A stage with a folder or a PATH of its own has it looked for there, and what that holds then is not known now. */
const mayBeElsewhere = (program: string, asking: readonly Stage[]): boolean =>
  !program.startsWith('/') && asking.some(({ cwd, env }) => cwd !== undefined || env?.PATH !== undefined);

/** An earlier stage may write it. Up to what a template or a glob leaves open. */
function mayBeMade(program: string, stages: Config['stages']): boolean {
  const path = program.replace(/^\.\//, '');
  return Object.values(stages).some(({ outputs = [], scope = [] }) =>
    [...outputs, ...scope].some((written) => {
      const sure = written.replace(/^\.\//, '').split(/[*?[{!(]/, 1)[0]!;
      return sure === written.replace(/^\.\//, '') ? sure === path : path.startsWith(sure);
    }),
  );
}

export const isThere = (program: string, { root, path }: Machine): boolean =>
  findProgram(program, root, path).kind === 'found';
