import { expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const arm = (name: string): string => `  train-${name}:
    uses: job
    on: box
    matrix: { seed: [1, 2] }
    with:
      parity: batch
      run: 'sh train.sh ${name} {{matrix.seed}}'
      smaller: { BATCH: '8' }
      capture: { to: 'runs/${name}-{{matrix.seed}}.words', env: [BATCH] }
    inputs: [train.sh]
    outputs: ['runs/${name}-{{matrix.seed}}.json', 'runs/${name}-{{matrix.seed}}.words']
`;

const config = `name: study
clusters: { box: { type: local, slots: 8, poll: 50ms } }
parity:
  batch: { arms: { large: large.json, small: small.json }, params: [BATCH] }
stages:
${arm('large')}${arm('small')}  copy:
    uses: command
    matrix: { seed: [1, 2] }
    with: { run: 'cp runs/small-{{matrix.seed}}.json copy-{{matrix.seed}}.json' }
    inputs: ['runs/small-{{matrix.seed}}.json']
    outputs: ['copy-{{matrix.seed}}.json']
  as-run:
    uses: parity
    matrix: { seed: [1, 2] }
    with:
      check: batch
      resolved: { large: 'runs/large-{{matrix.seed}}.json', small: 'runs/small-{{matrix.seed}}.json' }
  as-started:
    uses: parity
    matrix: { seed: [1, 2] }
    with:
      check: batch
      resolved:
        large: { file: 'runs/large-{{matrix.seed}}.words', format: argv }
        small: { file: 'runs/small-{{matrix.seed}}.words', format: argv }
`;

/**
 * The large arm runs out of memory, but only when the small one is done with its first seed, whose copy is made as well, and
 * at work on the second, which would never come to its end.
 */
const train = `arm=$1 seed=$2 batch=\${BATCH:-32}
echo "$arm-$seed $batch" >>began
if [ "$batch" -gt 8 ]; then
  if [ $arm = large ]; then
    until [ -e copy-1.json ] && grep -q 'small-2 32' began; do sleep 0.02; done
    echo 'CUDA out of memory' >&2
    exit 1
  fi
  if [ $seed = 2 ]; then until [ -e never ]; do sleep 0.02; done; fi
elif [ -e hold ] && [ $arm = small ]; then
  until [ -e go ]; do sleep 0.02; done
fi
mkdir -p runs
echo "{\\"BATCH\\": $batch}" >runs/$arm-$seed.json
`;

const study = (more: Record<string, string> = {}): Project =>
  new Project({
    'autoresearch.config.yaml': config,
    'train.sh': train,
    'large.json': '{"BATCH": 32}',
    'small.json': '{"BATCH": 32}',
    ...more,
  });

const used = (project: Project): string[] =>
  ['runs/large-1', 'runs/large-2', 'runs/small-1', 'runs/small-2', 'copy-1', 'copy-2'].map((name) =>
    project.read(`${name}.json`).trim(),
  );

const eight = Array<string>(6).fill('{"BATCH": 8}');

it('what is changed to mend one job holds for every arm: for those at work, and for those that had passed', async () => {
  const project = study();
  const { code, stdout } = await project.run('exec', '--reporter', 'plain', '--jobs', '8');
  expect(code, stdout).toBe(0);
  expect(used(project)).toEqual(eight);
  expect(stdout).toMatch(
    /^↻ train-large:seed=\d {2}was changed to BATCH=8 \(because the GPU ran out of memory: the batch or the sequence is too large\), which holds for every arm; 1 task is done again$/m,
  );
  const began = project.read('began').trim().split('\n').sort();
  expect(began.filter((line) => line.startsWith('small'))).toEqual([
    'small-1 32',
    'small-1 8',
    'small-2 32',
    'small-2 8',
  ]);
  const changed = project.journal().filter(({ type }) => type === 'parameters-changed');
  expect(changed).toMatchObject([{ group: 'parity batch', set: { BATCH: '8' }, to: ['train-small:seed=1'] }]);
  expect(changed[0]!.downstream).toEqual(['copy:seed=1', 'as-run:seed=1', 'as-started:seed=1']);
  const verified = await project.run('verify');
  expect(verified.code, verified.stdout).toBe(0);

  // A seed that is added later begins as the others ended, and nothing of them is done again.
  project.write('autoresearch.config.yaml', config.replaceAll('seed: [1, 2]', 'seed: [1, 2, 3]'));
  const more = await project.run('exec', '--reporter', 'plain');
  expect(more.code, more.stdout).toBe(0);
  expect(more.stdout).toContain('↻ BATCH=8 holds for every arm, as in earlier runs\n');
  expect(more.stdout).toContain('5 passed, 11 cached');
  expect(project.read('runs/small-3.json').trim()).toBe('{"BATCH": 8}');
});

it('a runner that is killed after the change finds the jobs that it had submitted since', async () => {
  const project = study({ hold: '' });
  const child = project.start(['exec', '--reporter', 'silent', '--jobs', '8']);
  const end = ended(child);
  const again = (): boolean => project.exists('began') && project.read('began').match(/small-\d 8/g)?.length === 2;
  await until(again);
  child.kill('SIGKILL');
  await end;
  project.write('go', '');
  const { code, stdout } = await project.run('exec', '--reporter', 'plain', '--jobs', '8');
  expect(code, stdout).toBe(0);
  expect(used(project)).toEqual(eight);
  expect(project.read('began').match(/small-\d 8/g)).toHaveLength(2);
});

it('a check that is not there is an error', async () => {
  const project = study({ 'autoresearch.config.yaml': config.replace('parity: batch\n', 'parity: bach\n') });
  const { code, stderr } = await project.run('exec');
  expect(code).toBe(2);
  expect(stderr).toContain('AR365');
  expect(stderr).toContain('there is no parity check "bach"');
});
