// The example research of this project, and the first thing to read: a config is a whole study, written as data.
//
//   npx autoresearch plan     what would be done, in which order and why; changes nothing
//   npx autoresearch exec     does it; the next time, only what changed since is done again
//
// The question: does a cosine learning-rate schedule with warm-up beat a constant rate of the same height? Twenty-four tasks
// ask whether the arms are set up alike, make the data, try a short training as a job, train ten tiny networks (two arms × five
// seeds, in plain Node), ask again of what each pair really used, compare them, draw and judge what came out, and write a report:
//
//   parity ──► data ──► smoke ──► train ×10 ─┬─► as-run ×5 ──► results ──► compare ──► analysis ─┬─► verified ──► report
//                                            └─► figures ──────────────────────────────────────┘
//
// The answer is in experiment/results/report.md afterwards. Nothing here says in advance what it is.
import { defineConfig } from 'autoresearch';

export default defineConfig({
  name: 'learning-rate-schedule',

  // What one may want to vary. Stages use them as {{vars.seeds}}; `--set smokeSteps=500` changes one for a single run.
  vars: {
    seeds: [11, 12, 13, 14, 15],
    smokeSteps: 1000,
  },

  // What must be equal between the arms, but for what is compared. No stage asks it of the files, so a task is made that does,
  // before anything else starts: nothing is paid for while the arms differ. The stage `as-run` asks it of the runs.
  parity: {
    schedules: {
      arms: { constant: 'experiment/arms/constant.json', cosine: 'experiment/arms/cosine.json' },
      params: ['settings.*'],
      except: { arm: 'the schedule is what is compared' },
    },
  },

  // What nobody may change while the study runs: what the numbers are made with, and what judges them. Copies are held outside
  // of the project; whoever touches one finds it put back, and the run ends with exit code 4.
  protect: [
    'experiment/{data,train}.mjs',
    'experiment/arms/**',
    'experiment/model/**',
    'experiment/schemas/**',
    'experiment/agents/**',
  ],

  // Agents are held in by bubblewrap where it is installed; elsewhere what they wrote is looked at afterwards.
  sandbox: 'auto',

  // Who is asked. Two small programs here, so that the example needs no model and no key; `backend: 'claude'` or `'codex'` in
  // real life. A judge of the author's family would be an error: nobody judges their own work.
  agents: {
    analyst: {
      backend: 'command',
      run: 'node experiment/agents/analyst.mjs',
      family: 'templates',
      limits: { timeout: '30s' },
    },
    judge: {
      backend: 'command',
      run: 'node experiment/agents/judge.mjs',
      family: 'rules',
      lifecycle: 'stateless',
      limits: { timeout: '30s' },
    },
  },

  // Where jobs go: processes of this machine, which outlive the runner. `{ type: 'slurm', partition: 'gpu' }` in real life.
  clusters: { box: { type: 'local', slots: 1 } },

  // The whole study may be at work for ten minutes, its resumptions together. What would go on longer is stopped (exit 5).
  budget: { time: '10m' },

  // Commands to run when something happens; `curl` or `notify-send` in real life. One that fails never fails the study.
  notify: [
    {
      on: ['run-finished'],
      run: 'mkdir -p experiment/results && echo {{event.summary}} >> experiment/results/runs.log',
    },
  ],

  // One page about the run, to be opened in any browser; its path is the last line that `exec` prints.
  report: { html: true },

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

    // A short training goes first, as a job of a cluster: submitted once, found again after a crash, ended when it is not healthy.
    smoke: {
      uses: 'job',
      on: 'box',
      with: {
        run: 'node experiment/train.mjs --config=experiment/arms/cosine.json --seed=1 --steps={{vars.smokeSteps}} --data=experiment/results/data --out=experiment/results/smoke',
        health: { firstStep: '1m', metric: 'loss' },
      },
      inputs: [
        'experiment/{train,command-line}.mjs',
        'experiment/arms/cosine.json',
        'experiment/model/*.mjs',
        'experiment/results/data/train.json',
        'experiment/results/data/test.json',
      ],
      outputs: ['experiment/results/smoke/metrics.json'],
      timeout: '2m',
    },

    // One stage, ten tasks: a `matrix` makes one of each combination. No word says that they come after `data`; they read
    // what `data` writes, so the edges are inferred. A command may also be a list of words, which goes past the shell.
    train: {
      uses: 'command',
      needs: ['smoke'],
      matrix: { arm: ['constant', 'cosine'], seed: '{{vars.seeds}}' },
      with: {
        run: [
          'node',
          'experiment/train.mjs',
          '--config=experiment/arms/{{matrix.arm}}.json',
          '--seed={{matrix.seed}}',
          '--data=experiment/results/data',
          '--out=experiment/results/runs/{{matrix.arm}}-{{matrix.seed}}',
        ],
      },
      inputs: [
        'experiment/{train,command-line}.mjs',
        'experiment/arms/{{matrix.arm}}.json',
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
      // An attempt may take two minutes and stay silent for thirty seconds, then it is ended. Each class of error has two
      // tries of its own, four in all; that a training diverged is a class that this study names itself.
      timeout: '2m',
      idle: '30s',
      retry: { attempts: 2, total: 4, backoff: '1s', classes: { diverged: 'the training diverged' } },
    },

    // The same question of every pair, as it was run: a default that was changed elsewhere, or one run that was made again with
    // other settings, shows here. Of the group `settings.*` also what no file names: the network, the batches, the data.
    'as-run': {
      uses: 'parity',
      matrix: { seed: '{{vars.seeds}}' },
      with: {
        check: 'schedules',
        resolved: {
          constant: 'experiment/results/runs/constant-{{matrix.seed}}/metrics.json',
          cosine: 'experiment/results/runs/cosine-{{matrix.seed}}/metrics.json',
        },
        to: 'experiment/results/parity/{{matrix.seed}}.md',
      },
      outputs: ['experiment/results/parity/{{matrix.seed}}.md'],
      timeout: '30s',
    },

    // One table of all runs. A number that is missing or not finite, or a file of another arm or seed, fails it.
    results: {
      uses: 'extract',
      needs: ['as-run'],
      with: {
        each: { arm: ['constant', 'cosine'], seed: '{{vars.seeds}}' },
        must: { arm: '{arm}', seed: '{seed}' },
        metrics: { testLoss: { from: 'experiment/results/runs/{arm}-{seed}/metrics.json', value: 'testLoss' } },
        to: 'experiment/results/results.yaml',
      },
      outputs: ['experiment/results/results.yaml'],
      timeout: '30s',
    },

    // Pairs the arms seed by seed: an interval, an effect size, and a verdict that follows from them. docs/comparison.md
    // has the rules, which stood before the numbers were seen.
    compare: {
      uses: 'compare',
      with: {
        results: 'experiment/results/results.yaml',
        metric: 'testLoss',
        better: 'lower',
        baseline: 'constant',
        configs: { constant: 'experiment/arms/constant.json', cosine: 'experiment/arms/cosine.json' },
        to: 'experiment/results/comparison.json',
        report: 'experiment/results/comparison.md',
      },
      outputs: ['experiment/results/comparison.json', 'experiment/results/comparison.md'],
      timeout: '30s',
      // What follows starts only when these hold: the comparison was paired, and no run is missing.
      gate: {
        kind: 'auto',
        checks: [
          'metrics.paired',
          'outputs["experiment/results/comparison.json"].variants.all(v, v.seeds >= 5 && size(v.missing) == 0)',
        ],
      },
    },

    // Charts from result files, with the same bytes on every machine.
    figures: {
      uses: 'figure',
      with: {
        figures: [
          {
            spec: 'experiment/loss.vl.json',
            data: { runs: 'experiment/results/runs/{arm}-{seed}/log.jsonl' },
            to: 'experiment/results/figures/loss',
          },
        ],
      },
      outputs: ['experiment/results/figures/loss.{svg,pdf,png}'],
      timeout: '1m',
    },

    // An agent puts the comparison into words, and a judge of another family says whether they follow from the numbers. Before
    // it may, the judge has to sort four samples of which everybody knows what they are.
    analysis: {
      uses: 'agent',
      agent: 'analyst',
      with: {
        kind: 'analyze',
        instructions:
          'Say what the comparison shows. State for each variant the verdict, the interval and the number of seeds.',
        to: 'experiment/results/analysis.md',
      },
      inputs: ['experiment/results/comparison.json'],
      outputs: ['experiment/results/analysis.md'],
      timeout: '1m',
      gate: {
        kind: 'auto-judge',
        agent: 'judge',
        criteria: ['every verdict follows from the interval that stands beside it', 'there are at least five seeds'],
        evidence: ['experiment/results/analysis.md'],
        calibrate: {
          good: ['experiment/agents/samples/sound.md', 'experiment/agents/samples/modest.md'],
          bad: ['experiment/agents/samples/overclaimed.md', 'experiment/agents/samples/bare.md'],
        },
      },
    },

    // Goal backwards: what has to be there in the end is looked for, whatever anybody said about it on the way.
    verified: {
      uses: 'verify',
      needs: ['analysis', 'figures'],
      with: {
        must_haves: {
          truths: [
            {
              truth: 'ten networks were trained to the end',
              run: 'grep -l testLoss experiment/results/runs/*/metrics.json | grep -c .',
              prints: '^10$',
            },
          ],
          artifacts: [
            { path: 'experiment/results/comparison.md', contains: 'constant' },
            { path: 'experiment/results/figures/loss.svg', min_bytes: 1000 },
          ],
          key_links: [{ from: 'experiment/results/analysis.md', to: 'experiment/results/comparison.json' }],
        },
        to: 'experiment/results/VERIFICATION.md',
      },
      outputs: ['experiment/results/VERIFICATION.md'],
      timeout: '30s',
    },

    // Another behaviour: it fills in a Handlebars template. A name that the data does not have is a failure, not a blank.
    report: {
      uses: 'render',
      needs: ['verified'],
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
