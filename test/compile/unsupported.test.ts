import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { unsupported } from '../../src/compile/unsupported.js';
import type { Config, Stage } from '../../src/model/generated/config.js';
import { at } from './study.js';

const refusal = (pointer: string, what: string) => ({
  code: 'AR701',
  message: `this version cannot enforce ${what}`,
  at: at(pointer, { key: true }),
  hint: 'Take it out, or use a version that can',
});

const config = (more: Partial<Config>): Config => ({ name: 'study', stages: { a: { uses: 'command' } }, ...more });

describe('AR701: what this version cannot enforce', () => {
  const top: Required<Omit<Config, '$schema' | 'name' | 'extends' | 'vars' | 'stages'>> = {
    agents: {},
    budget: { usdPerRun: 1 },
    protect: [],
    parity: {},
    clusters: {},
    notify: [],
    prices: {},
    sandbox: 'none',
    iterate: { max: 1 },
    autonomous: { human: 'fail' },
    escalate: [],
    onViolation: 'fail',
  };
  const words: Record<keyof typeof top, string> = {
    agents: 'agents',
    budget: 'budgets',
    protect: 'protected files',
    parity: 'parity checks',
    clusters: 'clusters',
    notify: 'notifications',
    prices: 'prices',
    sandbox: 'the sandbox',
    iterate: 'iteration',
    autonomous: 'autonomous mode',
    escalate: 'escalation',
    onViolation: 'violations',
  };

  test.each(Object.entries(words))('%s', (key, what) => {
    const only = { [key]: top[key as keyof typeof top] };
    expect(unsupported(config(only))).toEqual([refusal(`/${key}`, what)]);
  });

  const stage: { readonly [key in keyof Stage]?: readonly [value: Stage[key], what: string] } = {
    agent: ['coder', 'agents'],
    isolation: ['worktree', 'worktrees'],
    scope: [[], 'file scopes'],
    protect: [[], 'protected files'],
    mirror: [[], 'mirrors'],
    locks: [[], 'locks'],
    gate: ['human', 'gates'],
    on: ['slurm', 'clusters'],
    commit: ['done', 'commits'],
  };
  test.each(Object.entries(stage))('%s of a stage', (key, [value, what]) => {
    const found = unsupported(config({ stages: { 'b/c': { uses: 'command', [key]: value } } }));
    expect(found).toEqual([refusal(`/stages/b~1c/${key}`, what)]);
  });

  test('an agent that mends', () => {
    const found = unsupported(config({ stages: { a: { uses: 'command', retry: { attempts: 2, fix: 'coder' } } } }));
    expect(found).toEqual([refusal('/stages/a/retry/fix', 'fixes by an agent')]);
  });

  test('what asks for nothing is not refused', () => {
    const a: Stage = { uses: 'command', isolation: 'none', retry: { attempts: 2 }, timeout: '1m', when: 'true' };
    expect(unsupported(config({ vars: { x: 1 }, extends: ['x'], $schema: 's', stages: { a } }))).toEqual([]);
  });

  /** A key that is new in the schema must be carried out or refused: nobody may forget it. */
  test('every key of the schema is known to be enforced, or refused', () => {
    const schema = JSON.parse(readFileSync(new URL('../../schemas/config.schema.json', import.meta.url), 'utf8'));
    const enforced = ['$schema', 'name', 'extends', 'vars', 'stages'];
    expect(Object.keys(schema.properties).sort()).toEqual([...enforced, ...Object.keys(words)].sort());
    const enforcedStage = [
      'uses',
      'with',
      'needs',
      'inputs',
      'outputs',
      'schema',
      'when',
      'matrix',
      'retry',
      'timeout',
      'idle',
      'env',
      'cwd',
      'cache',
    ];
    expect(Object.keys(schema.$defs.Stage.properties).sort()).toEqual([...enforcedStage, ...Object.keys(stage)].sort());
    expect(Object.keys(schema.$defs.Retry.properties).sort()).toEqual(['attempts', 'backoff', 'fix']);
  });
});
