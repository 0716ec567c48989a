import { readFileSync } from 'node:fs';
import { measure, printed, ratio } from '../lib/measure.mjs';
import { didAll, exec, project } from '../lib/ours.mjs';

/** What a person waits for before anything happens, as multiples of Node's own start. */
export function startUp({ rounds }) {
  const ten = project('start-up/ten-ts', { 'autoresearch.config.ts': tenStages });
  const oneTs = project('start-up/one-ts', { 'autoresearch.config.ts': oneStage });
  const oneYaml = project('start-up/one-yaml', { 'autoresearch.config.yaml': oneStageYaml });
  const base = 'node -e 0';
  const rows = measure(
    [
      { name: base, run: [process.execPath, '-e', '0'], cwd: ten.cwd },
      { name: '--version', run: ten.run('--version'), cwd: ten.cwd, check: says('.') },
      { name: 'plan, ten stages, TypeScript', run: ten.run('plan'), cwd: ten.cwd, check: says('s9') },
      { name: 'exec, one task, TypeScript', ...oneTs, run: oneTs.run(...exec), check: didAll(oneTs.cwd, 1) },
      { name: 'exec, one task, YAML', ...oneYaml, run: oneYaml.run(...exec), check: didAll(oneYaml.cwd, 1) },
      { name: 'exec again, nothing to do', run: oneTs.run(...exec), cwd: oneTs.cwd, check: didAll(oneTs.cwd, 1) },
    ].map((contender) => ({ ...contender, base })),
    { rounds: rounds * 3, title: 'start-up' },
  );
  const target = (name, limit) => ({
    target: `start-up: ${name}`,
    unit: '× node -e 0',
    limit,
    measured: ratio(rows, name),
  });
  return {
    title: 'Start-up',
    rows,
    targets: [
      target('--version', 1.3),
      target('plan, ten stages, TypeScript', 3),
      target('exec, one task, TypeScript', 2),
      target('exec, one task, YAML', 2),
    ],
  };
}

const says = (text) => () => (readFileSync(printed, 'utf8').includes(text) ? undefined : `it did not print "${text}"`);

const tenStages = `import { defineConfig } from 'autoresearch';

export default defineConfig({
  name: 'ten',
  vars: { steps: 5, seeds: [1, 2, 3] },
  stages: {
${Array.from(
  { length: 10 },
  (_, index) => `    s${index}: {
      uses: 'command',
      with: { run: 'echo {{vars.steps}} {{matrix.seed}} > out/s${index}-{{matrix.seed}}' },
      matrix: { seed: '{{vars.seeds}}' },
      outputs: ['out/s${index}-{{matrix.seed}}'],
${index === 0 ? '' : `      inputs: ['out/s${index - 1}-{{matrix.seed}}'],\n`}    },`,
).join('\n')}
  },
});
`;

const oneStage = `import { defineConfig } from 'autoresearch';

export default defineConfig({ name: 'one', stages: { only: { uses: 'command', with: { run: 'true' } } } });
`;

const oneStageYaml = 'name: one\nstages:\n  only:\n    uses: command\n    with: { run: "true" }\n';
