import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { unsupported } from '../../src/compile/rules/unsupported.js';
import type { Config, Stage } from '../../src/model/generated/config.js';
import { at } from './study.js';

const refusal = (pointer: string, what: string) => ({
  code: 'AR701',
  message: `this version cannot enforce ${what}`,
  at: at(pointer, { key: true }),
  hint: 'Name what the stage writes under outputs instead: a scope is what its agents may write, and it asks none',
});

const config = (more: Partial<Config>): Config => ({ name: 'study', stages: { a: { uses: 'command' } }, ...more });

describe('AR701: what this version cannot enforce', () => {
  test('a scope that no agent is held to', () => {
    const found = unsupported(config({ stages: { 'b/c': { uses: 'command', scope: ['src/**'] } } }));
    expect(found).toEqual([refusal('/stages/b~1c/scope', 'a scope without an agent')]);
  });

  test('what asks for nothing is not refused', () => {
    const a: Stage = { uses: 'command', isolation: 'none', retry: { attempts: 2 }, timeout: '1m', when: 'true' };
    expect(unsupported(config({ vars: { x: 1 }, extends: ['x'], $schema: 's', stages: { a } }))).toEqual([]);
  });

  /** A key that is new in the schema must be carried out or refused: nobody may forget it. */
  test('every key of the schema is known to be enforced, or refused', () => {
    const schema = JSON.parse(readFileSync(new URL('../../schemas/config.schema.json', import.meta.url), 'utf8'));
    const enforced = [
      '$schema',
      'name',
      'extends',
      'vars',
      'stages',
      'agents',
      'notify',
      'escalate',
      'budget',
      'prices',
      'cassettes',
      'passEnv',
      'clusters',
      'secrets',
      'protect',
      'parity',
      'onViolation',
      'sandbox',
      'autonomous',
      'report',
      'iterate',
    ];
    expect(Object.keys(schema.properties).sort()).toEqual([...enforced].sort());
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
      'passEnv',
      'agent',
      'scope',
      'protect',
      'locks',
      'isolation',
      'on',
      'resources',
      'commit',
      'mirror',
      'cwd',
      'cache',
      'parallel',
      'budget',
      'gate',
    ];
    expect(Object.keys(schema.$defs.Stage.properties).sort()).toEqual([...enforcedStage].sort());
    expect(Object.keys(schema.$defs.Retry.properties).sort()).toEqual([
      'attempts',
      'backoff',
      'classes',
      'fix',
      'total',
    ]);
  });
});
