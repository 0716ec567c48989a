// The example research of this project, and the first thing to read: a config is a whole study, written as data.
//
//   npx autoresearch plan     what would be done, in which order and why; changes nothing
//   npx autoresearch exec     does it; the next time, only what changed since is done again
//
// The question: does a cosine learning-rate schedule with warm-up beat a constant rate of the same height? Thirteen tasks
// make the data, train ten tiny networks (two arms × five seeds, in plain Node), compare them and write a report:
//
//   data ──► train ×10 ──► compare ──► report
//
// The answer is in experiment/results/report.md afterwards. Nothing here says in advance what it is.
import { defineConfig } from 'autoresearch';

export default defineConfig({
  name: 'learning-rate-schedule',

  // What one may want to vary. Stages use them as {{vars.steps}}; `--set steps=500` changes one for a single run.
  vars: {
    seeds: [11, 12, 13, 14, 15],
    steps: 4000,
    warmup: 200,
    learningRate: 0.1,
  },

  stages: {
    // A stage `uses` a behaviour, here a command. `inputs` is what it reads: when one changes, the stage is stale and runs
    // again. `outputs` is what it writes: each must be there and hold something afterwards, or the stage has failed.
    data: {
      uses: 'command',
      with: { run: 'node experiment/data.mjs --seed 2024 --out experiment/results/data' },
      inputs: ['experiment/{data,command-line}.mjs', 'experiment/model/*.mjs'],
      outputs: ['experiment/results/data/train.json', 'experiment/results/data/test.json'],
      timeout: '30s',
    },

    // One stage, ten tasks: a `matrix` makes one of each combination. No word says that they come after `data`; they read
    // what `data` writes, so the edges are inferred. A command may also be a list of words, which goes past the shell.
    train: {
      uses: 'command',
      matrix: { arm: ['constant', 'cosine'], seed: '{{vars.seeds}}' },
      with: {
        run: [
          'node',
          'experiment/train.mjs',
          '--arm={{matrix.arm}}',
          '--seed={{matrix.seed}}',
          '--steps={{vars.steps}}',
          '--warmup={{vars.warmup}}',
          '--learning-rate={{vars.learningRate}}',
          '--data=experiment/results/data',
          '--out=experiment/results/runs/{{matrix.arm}}-{{matrix.seed}}',
        ],
      },
      inputs: [
        'experiment/{train,command-line}.mjs',
        'experiment/model/*.mjs',
        'experiment/results/data/train.json',
        'experiment/results/data/test.json',
      ],
      outputs: [
        'experiment/results/runs/{{matrix.arm}}-{{matrix.seed}}/metrics.json',
        'experiment/results/runs/{{matrix.arm}}-{{matrix.seed}}/log.jsonl',
      ],
      // Metrics that do not fit their schema (no loss, a NaN, a key too many) fail the task.
      schema: {
        'experiment/results/runs/{{matrix.arm}}-{{matrix.seed}}/metrics.json': 'experiment/schemas/metrics.schema.json',
      },
      // An attempt may take two minutes and stay silent for thirty seconds. After that it is ended, and tried once more.
      timeout: '2m',
      idle: '30s',
      retry: { attempts: 2, backoff: '1s' },
    },

    // Pairs the arms seed by seed. It is told which runs to read: a missing one fails it and is never counted as zero.
    compare: {
      uses: 'command',
      with: {
        run: 'node experiment/compare.mjs --control constant --treatment cosine --runs experiment/results/runs --out experiment/results/comparison.json {{vars.seeds}}',
      },
      inputs: [
        'experiment/{compare,command-line}.mjs',
        'experiment/analysis/*.mjs',
        'experiment/results/runs/*/metrics.json',
      ],
      outputs: ['experiment/results/comparison.json'],
      timeout: '30s',
    },

    // Another behaviour: it fills in a Handlebars template. A name that the data does not have is a failure, not a blank.
    report: {
      uses: 'render',
      with: {
        files: [
          {
            template: 'experiment/report.md.hbs',
            to: 'experiment/results/report.md',
            data: { title: 'Constant or cosine?' },
            from: { comparison: 'experiment/results/comparison.json' },
          },
        ],
      },
      outputs: ['experiment/results/report.md'],
      timeout: '30s',
    },
  },
});
