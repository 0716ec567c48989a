import { expect, test } from 'vitest';
import type { Failure, FailureCode } from '../../src/model/failure.js';
import { failureText, failureWords } from '../../src/report/failures/failure-text.js';
import { golden } from './golden.js';

/** Total, like the words: a new failure does not compile until there is an example of it here. */
const examples: { readonly [C in FailureCode]: readonly Extract<Failure, { code: C }>[] } = {
  'command-failed': [
    { code: 'command-failed', exitCode: 2 },
    { code: 'command-failed', exitCode: 1, without: ['build/', 'a.sh (mode 600)'] },
  ],
  'command-killed': [
    { code: 'command-killed', signal: 'SIGKILL' },
    { code: 'command-killed', signal: 'SIGSEGV' },
  ],
  'command-not-found': [{ code: 'command-not-found', command: 'pyhton' }],
  'command-not-started': [{ code: 'command-not-started', detail: 'EACCES' }],
  'timed-out': [{ code: 'timed-out', afterMs: 300_000 }],
  'idle-timed-out': [{ code: 'idle-timed-out', afterMs: 45_000 }],
  'output-missing': [
    { code: 'output-missing', outputs: ['a.json'] },
    { code: 'output-missing', outputs: ['a.json', 'b.json', 'c.json', 'd.json'] },
  ],
  'output-empty': [{ code: 'output-empty', outputs: ['a.json', 'b.json'] }],
  'output-not-written': [{ code: 'output-not-written', outputs: ['a.json'] }],
  'output-invalid': [{ code: 'output-invalid', output: 'a.json', detail: '/loss must be number' }],
  'input-missing': [{ code: 'input-missing', inputs: ['data.csv'] }],
  'behaviour-failed': [
    { code: 'behaviour-failed', detail: 'the template does not exist' },
    { code: 'behaviour-failed', detail: 'must have, and has not: x', without: ['x'] },
  ],
  'checks-failed': [{ code: 'checks-failed', checked: 4, lines: ['queue: 8 >= 16 is false', 'registered: …'] }],
  'metrics-unusable': [{ code: 'metrics-unusable', lines: ['loss: NaN in log.jsonl:7'] }],
  'baseline-not-reproduced': (['debug', 'ask'] as const).map((decision) => ({
    code: 'baseline-not-reproduced',
    arm: 'gpt2',
    metric: 'perplexity',
    reported: 18.5,
    found: 25.1,
    tolerance: 0.05,
    decision,
  })),
  'parity-broken': [
    { code: 'parity-broken', check: 'arms', checked: 5, lines: ['SEED: 42 in a, 43 in b (different values)', 'LR: …'] },
  ],
  'behaviour-crashed': [{ code: 'behaviour-crashed', detail: 'TypeError: x is undefined\n    at run (mine.ts:3:1)' }],
  'agent-failed': [
    { code: 'agent-failed', agent: 'coder', why: 'not-installed', detail: 'claude was not found' },
    { code: 'agent-failed', agent: 'coder', why: 'not-logged-in', detail: 'Invalid API key' },
    { code: 'agent-failed', agent: 'coder', why: 'quota', detail: 'the limit is reached', resetAt: 1_800_000_000_000 },
    { code: 'agent-failed', agent: 'coder', why: 'overloaded', detail: 'the server answered 529' },
    { code: 'agent-failed', agent: 'coder', why: 'refused', detail: 'there is no model x' },
    { code: 'agent-failed', agent: 'coder', why: 'max-turns', detail: '10 turns' },
    { code: 'agent-failed', agent: 'coder', why: 'timed-out', detail: 'after 5m' },
    { code: 'agent-failed', agent: 'coder', why: 'idle', detail: 'after 2m' },
    { code: 'agent-failed', agent: 'coder', why: 'over-cap', detail: '$2' },
    { code: 'agent-failed', agent: 'coder', why: 'looping', detail: 'read_file a.py three times' },
    { code: 'agent-failed', agent: 'coder', why: 'too-many-files', detail: '6 files' },
    { code: 'agent-failed', agent: 'coder', why: 'too-many-helpers', detail: '4 helpers' },
    { code: 'agent-failed', agent: 'coder', why: 'session-lost', detail: 'there is no session 7' },
    { code: 'agent-failed', agent: 'coder', why: 'no-recording', detail: 'nothing was recorded' },
    { code: 'agent-failed', agent: 'coder', why: 'crashed', detail: 'exited with code 3' },
  ],
  'agent-reply-unusable': [{ code: 'agent-reply-unusable', agent: 'coder', detail: 'its reply could not be used: x' }],
  'agent-gave-up': [{ code: 'agent-gave-up', agent: 'coder', summary: 'the data is not there' }],
  'agent-escalated': [
    { code: 'agent-escalated', agent: 'coder', reason: 'design', summary: 'it cannot converge', files: [] },
    {
      code: 'agent-escalated',
      agent: 'coder',
      reason: 'scope',
      summary: 'more is needed',
      files: ['src/a.py', 'b.py'],
    },
    { code: 'agent-escalated', agent: 'coder', reason: 'environment', summary: 'no GPU', files: [] },
    { code: 'agent-escalated', agent: 'coder', reason: 'none', summary: 'no', files: ['a.py'] },
  ],
  'gaps-found': [{ code: 'gaps-found', score: '2/4', gaps: ['a.py is a stub', 'nobody checks "it is fast"'] }],
  'review-critical': [
    { code: 'review-critical', agent: 'critic', rounds: 0, issues: ['the arms differ'] },
    { code: 'review-critical', agent: 'critic', rounds: 2, issues: ['the arms differ', 'no test'] },
  ],
  'review-failed': [
    { code: 'review-failed', agent: 'critic', verdict: 'revise', reasons: ['a.py:3 is wrong', 'no test'] },
  ],
  'scope-too-large': [
    {
      code: 'scope-too-large',
      files: 12,
      bytes: 52_000_000_000,
      most: { files: 50_000, bytes: 1_000_000_000 },
      largest: 'data',
    },
  ],
  'scope-violated': [
    { code: 'scope-violated', agent: 'coder', files: ['eval/score.py'] },
    { code: 'scope-violated', agent: 'coder', files: ['logs/run.log'], problems: [], evidence: '/e/1' },
    {
      code: 'scope-violated',
      agent: 'coder',
      files: ['a.pt', 'b.pt'],
      beside: ['train'],
      problems: [],
      evidence: '/e/1',
    },
    { code: 'scope-violated', agent: 'coder', files: ['a.pt'], problems: ['a.pt: its copy is damaged'] },
    {
      code: 'scope-violated',
      agent: 'coder',
      files: ['study.yaml'],
      held: ['study.yaml'],
      problems: [],
      evidence: '/e/2',
    },
    {
      code: 'scope-violated',
      agent: 'coder',
      files: ['a.pt', 'prompt.md', 'schema.json'],
      held: ['prompt.md', 'schema.json'],
    },
    { code: 'scope-violated', agent: 'coder', files: ['eval/score.py'], guarded: ['eval/score.py'], evidence: '/e/3' },
    {
      code: 'scope-violated',
      agent: 'coder',
      files: ['a.pt', 'eval/a.py', 'eval/b.py', 'study.yaml'],
      held: ['study.yaml'],
      guarded: ['eval/a.py', 'eval/b.py', 'study.yaml'],
    },
  ],
  'cannot-protect': [{ code: 'cannot-protect', detail: 'eval/secret cannot be read' }],
  'mirror-differs': [
    { code: 'mirror-differs', count: 1, lines: ['env/a.py: differs'] },
    { code: 'mirror-differs', count: 3, lines: ['env/a.py: differs', 'env/b.py: only in the source'] },
  ],
  'protect-violated': [
    { code: 'protect-violated', files: ['eval/score.py'] },
    { code: 'protect-violated', files: ['eval/score.py'], agent: 'coder', evidence: '/p/violations/1' },
    { code: 'protect-violated', files: ['a', 'b'], evidence: '/p/violations/1', problems: ['a: its copy is damaged'] },
  ],
  'job-failed': [
    { code: 'job-failed', cluster: 'slurm', id: '12', how: 'timed-out', word: 'TIMEOUT', detail: 'TimeLimit' },
    { code: 'job-failed', cluster: 'slurm', id: '12_3', how: 'node-failed', word: 'NODE_FAIL' },
    { code: 'job-failed', cluster: 'slurm', id: '12', how: 'out-of-memory', word: 'OUT_OF_MEMORY' },
    { code: 'job-failed', cluster: 'slurm', id: '12', how: 'deadline', word: 'DEADLINE' },
    { code: 'job-failed', cluster: 'slurm', id: '12', how: 'cancelled', word: 'CANCELLED' },
    { code: 'job-failed', cluster: 'slurm', id: '12', how: 'not-started', word: 'FAILED', detail: 'JobLaunchFailure' },
    { code: 'job-failed', cluster: 'local', id: 'ar-1', how: 'failed', word: 'KILLED' },
  ],
  'job-lost': [{ code: 'job-lost', cluster: 'slurm', id: '12', detail: 'squeue did not answer within 30 s' }],
  'job-unsure': [{ code: 'job-unsure', cluster: 'hpc', tag: 'ar-1-abcd-train-1-0123', detail: 'submit hung' }],
  'job-refused': [{ code: 'job-refused', cluster: 'slurm', detail: 'invalid partition specified: x' }],
  'job-sick': [{ code: 'job-sick', cluster: 'slurm', id: '12', detail: 'NaN in the log' }],
  'budget-spent': [
    { code: 'budget-spent', spent: { ceiling: 'budget.usdPerRun', limit: 5, spent: 4.2, wanted: 2 } },
    { code: 'budget-spent', spent: { ceiling: 'budget.time', limit: 3_600_000, spent: 3_600_000, wanted: 0 } },
    { code: 'budget-spent', spent: { ceiling: 'stage budget.calls', limit: 3, spent: 3, wanted: 1 } },
    { code: 'budget-spent', spent: { ceiling: 'budget.tokensPerRun', limit: 1000, spent: 1200, wanted: 0 } },
    { code: 'budget-spent', spent: { ceiling: 'budget.usdPerDay', limit: 5, spent: 1, wanted: 2, unpricedCalls: 1 } },
    { code: 'budget-spent', spent: { ceiling: 'budget.gpuHours', limit: 8, spent: 7.5, wanted: 1 } },
  ],
  cancelled: [{ code: 'cancelled', signal: 'SIGINT' }],
  'disk-full': [{ code: 'disk-full', file: '/lab/.autoresearch/default/runs/1-aaaa/journal.jsonl' }],
  'not-writable': [
    { code: 'not-writable', file: '/lab/.autoresearch', detail: 'EROFS' },
    { code: 'not-writable', file: '/lab/.autoresearch', detail: 'EIO: i/o error, write' },
  ],
  'journal-corrupt': [
    { code: 'journal-corrupt', file: 'journal.jsonl', line: 12, detail: 'the hash does not match' },
    { code: 'journal-corrupt', file: '/lab/ledger.jsonl', line: 3, detail: 'the hash does not match' },
  ],
  'run-not-found': [
    { code: 'run-not-found', run: '17' },
    { code: 'run-not-found', run: '' },
  ],
  'plan-mismatch': [
    { code: 'plan-mismatch', expected: 'a'.repeat(64), actual: 'b'.repeat(64), changes: ['train has another options'] },
    { code: 'plan-mismatch', expected: '/lab/plan.json', actual: '', changes: ['the file is not a saved plan'] },
  ],
  'plan-invalid': [
    { code: 'plan-invalid', problems: ['design/tasks.yaml:3:5: "b" depends on "c", which is not a task', 'more'] },
  ],
  'worktree-failed': [
    { code: 'worktree-failed', detail: 'the repository has no commit yet', fix: 'Commit your project first' },
  ],
  'merge-conflict': [
    {
      code: 'merge-conflict',
      branch: 'auto/default-iter-1-two',
      path: '/lab/.autoresearch/default/worktrees/default-iter-1-two',
      files: ['src/a.py'],
    },
  ],
  'checkout-written': [
    { code: 'checkout-written', agent: 'coder', files: ['src/a.py', 'notes.md'], beside: ['train'] },
    { code: 'checkout-written', files: [], head: { from: 'refs/heads/main 1a2b', to: 'refs/heads/main 3c4d' } },
  ],
  'cannot-keep': [
    {
      code: 'cannot-keep',
      files: ['src/a', 'src/b'],
      detail: 'they lead to /study/x, which is gone once the work is merged',
      fix: 'make them relative',
    },
  ],
  'object-forged': [
    { code: 'object-forged', objects: [{ id: 'f'.repeat(40), path: 'src/a.py' }] },
    {
      code: 'object-forged',
      objects: [
        { id: 'a'.repeat(40), path: '' },
        { id: 'b'.repeat(40), path: 'src' },
      ],
    },
  ],
  'worktree-written': [
    { code: 'worktree-written', path: '/study/.autoresearch/x/worktrees/b', files: ['src/b.py'], beside: ['a', 'c'] },
    { code: 'worktree-written', path: '/study/.autoresearch/x/worktrees/b', files: ['1', '2', '3', '4'] },
  ],
  'gate-rejected': [
    { code: 'gate-rejected', by: { kind: 'person', name: 'ada' }, reasons: ['the baseline is missing'] },
    { code: 'gate-rejected', by: { kind: 'agent', name: 'judge', model: 'gpt-5' }, reasons: ['no tests', 'no log'] },
    { code: 'gate-rejected', by: { kind: 'agent', name: 'judge' }, reasons: ['judge took too long'], failed: true },
    { code: 'gate-rejected', by: { kind: 'checks', name: 'checks' }, reasons: ['metrics.loss < 0.1 is false'] },
    { code: 'gate-rejected', by: { kind: 'time', name: 'expires' }, reasons: ['nobody answered within 2h'] },
  ],
  'judge-uncalibrated': [{ code: 'judge-uncalibrated', agent: 'judge', wrong: ['bad/1.txt (passed)'] }],
  'result-changed': [
    {
      code: 'result-changed',
      files: [
        { path: 'out/x', was: '1a2b3c4d5e6f7a8b', is: '9a8b7c6d5e4f3a2b' },
        { path: 'out/y', was: '5a6b7c8d9e0f1a2b' },
      ],
    },
    {
      code: 'result-changed',
      files: [
        { path: 'src/x.py', was: '1a2b3c4d5e6f7a8b', is: '9a8b7c6d5e4f3a2b' },
        { path: 'src/new.py', is: '9a8b7c6d5e4f3a2b' },
      ],
      gate: { by: { kind: 'agent', name: 'judge', model: 'gpt-5' }, why: 'src/x.py changed since judge decided' },
    },
    {
      code: 'result-changed',
      files: [],
      gate: { by: { kind: 'person', name: 'ada' }, why: 'the plan that led to it changed since ada decided' },
    },
  ],
  'name-unreadable': [
    { code: 'name-unreadable', folder: 'data', detail: 'data holds a name that is not UTF-8: b%ff.csv' },
  ],
  locked: [{ code: 'locked', holder: 'run 4-k3xw, process 4711 on lab', file: '/lab/my state/lock' }],
  'lock-lost': [{ code: 'lock-lost', file: '/lab/my state/lock' }],
};

const all: readonly Failure[] = Object.values(examples).flat();

test('every failure has words', async () => {
  await golden('failures.txt', all.map((failure) => `${failure.code}\n${failureText(failure)}\n`).join('\n'));
});

test('what happened is one line, and neither part ends in a full stop', () => {
  for (const failure of all) {
    const { what, next } = failureWords(failure);
    expect(what).toMatch(/^[^\n]+[^.\n]$/);
    expect(next).toMatch(/^[A-Z][^\n]+[^.\n]$/);
  }
});
