import { describe, expect, test } from 'vitest';
import { familyOf } from '../../src/compile/expand/families.js';
import type { Agent } from '../../src/model/generated/config.js';
import { at, codesOf, problemsOf, type Study } from './study.js';

describe('the family of an agent', () => {
  test.each<[Agent, string | undefined]>([
    [{ backend: 'claude' }, 'anthropic'],
    [{ backend: 'codex', model: 'gpt-5.3-codex' }, 'openai'],
    [{ backend: 'gemini' }, 'google'],
    [{ backend: 'opencode', model: 'anthropic/claude-sonnet-4' }, 'anthropic'],
    [{ backend: 'api', model: 'openai/gpt-5.3-codex' }, 'openai'],
    [{ backend: 'api', model: 'openrouter/meta-llama/llama-4-maverick' }, 'meta'],
    [{ backend: 'api', model: 'Qwen3-Coder' }, 'alibaba'],
    [{ backend: 'api', model: 'o3-mini' }, 'openai'],
    [{ backend: 'api', model: 'deepseek-chat' }, 'deepseek'],
    [{ backend: 'command', run: './x' }, undefined],
    [{ backend: 'command', run: './x', model: 'my-own' }, undefined],
    [{ backend: 'command', run: './x', family: 'Meta' }, 'meta'],
    [{ backend: 'claude', model: 'qwen3-coder' }, 'alibaba'],
    [{ backend: 'opencode', model: 'mistral/openai:gpt-5' }, 'openai'],
    [{ backend: 'command', run: './x', family: 'OpenAI ' }, 'openai'],
    [{ backend: 'command', run: './x', family: 'open-ai' }, 'openai'],
    [{ backend: 'command', run: './x', family: 'openai\u200b' }, 'openai'],
    [{ backend: 'command', run: './x', family: 'ChatGPT' }, 'openai'],
  ])('%j', (agent, family) => {
    expect(familyOf(agent)).toBe(family);
  });
});

const judged = (agents: Study['agents'], more: Partial<Study['stages'][string]> = {}): Study => ({
  agents: agents!,
  stages: {
    write: {
      uses: 'agent',
      agent: 'coder',
      with: { instructions: 'x', verify: 'true' },
      gate: { kind: 'auto-judge', agent: 'judge', criteria: ['good'], evidence: ['src/**'] },
      ...more,
    },
  },
});

const reviewed = (agents: Study['agents'], options: object = {}): Study => ({
  agents: agents!,
  stages: {
    write: { uses: 'agent', agent: 'coder', with: { instructions: 'x', verify: 'true' } },
    check: {
      uses: 'agent',
      agent: 'judge',
      needs: ['write'],
      with: { kind: 'review', criteria: ['good'], to: 'review.json', ...options },
    },
  },
});

describe('AR320: the author never judges its own work', () => {
  test('a judge of the same family is named together with the author', async () => {
    const study = judged({
      coder: { backend: 'claude' },
      judge: { backend: 'api', baseUrl: 'http://x', model: 'anthropic/claude-opus' },
    });
    expect(await problemsOf(study)).toEqual([
      {
        code: 'AR320',
        message:
          'judge "judge" and author "coder" are both of the family anthropic: the author would judge its own work',
        at: at('/stages/write/gate/agent'),
        hint: 'Name an agent of another model family',
      },
    ]);
  });

  test('so is a reviewer', async () => {
    expect(await problemsOf(reviewed({ coder: { backend: 'codex' }, judge: { backend: 'codex' } }))).toEqual([
      {
        code: 'AR320',
        message:
          'reviewer "judge" and author "coder" are both of the family openai: the author would judge its own work',
        at: at('/stages/check/agent'),
        hint: 'Name an agent of another model family',
      },
    ]);
  });

  test('a family that is stated in other letters is the same family', async () => {
    const agents = {
      coder: { backend: 'command', run: './x', family: 'OpenAI' },
      judge: { backend: 'codex' },
    } as const;
    expect(await codesOf(judged(agents))).toEqual(['AR320']);
  });

  test('who mends or is asked at last is an author too', async () => {
    const agents = { coder: { backend: 'claude' }, judge: { backend: 'codex' }, other: { backend: 'codex' } } as const;
    expect(await codesOf(judged(agents, { retry: { attempts: 2, fix: 'other' } }))).toEqual(['AR320']);
    expect(await codesOf({ ...judged(agents), escalate: ['other'] })).toEqual(['AR320']);
  });

  test('`of` names whose work is reviewed, needed or not', async () => {
    const study = reviewed({ coder: { backend: 'claude' }, judge: { backend: 'claude' } }, { of: ['write'] });
    const { needs: _, ...check } = study.stages.check!;
    expect(await codesOf({ ...study, stages: { ...study.stages, check } })).toEqual(['AR320']);
  });

  test('a command that passes the work on does not hide its author', async () => {
    const agents = { coder: { backend: 'claude' }, judge: { backend: 'claude' } } as const;
    const { write, check } = reviewed(agents).stages;
    const stages = { write: write!, copy: { needs: ['write'] }, check: { ...check!, needs: ['copy'] } };
    expect(await codesOf({ agents, stages })).toEqual(['AR320']);
  });

  test.each([
    ['openаi', { backend: 'codex' as const }, 'its backend says openai'],
    ['mistral', { backend: 'opencode' as const, model: 'openai/gpt-5' }, 'its model "openai/gpt-5" says openai'],
  ])('a family that is said to be %s is not believed against what can be told', async (family, agent, words) => {
    const study = judged({ coder: { backend: 'codex' }, judge: { ...agent, family } });
    expect((await problemsOf(study))[0]).toMatchObject({
      code: 'AR321',
      message: `agent "judge" is said to be of the family "${family}", but ${words}`,
      at: at('/agents/judge/family'),
    });
  });

  test('another family is fine', async () => {
    expect(await codesOf(judged({ coder: { backend: 'claude' }, judge: { backend: 'codex' } }))).toEqual([]);
    expect(await codesOf(reviewed({ coder: { backend: 'claude' }, judge: { backend: 'gemini' } }))).toEqual([]);
  });

  test('AR321: a family that nobody can tell is not another one', async () => {
    const agents = { coder: { backend: 'claude' }, judge: { backend: 'command', run: './judge' } } as const;
    expect(await problemsOf(judged(agents))).toEqual([
      {
        code: 'AR321',
        message:
          'nobody can tell of which model family "judge" is, so nobody can tell whether judge "judge" is of another one than author "coder"',
        at: at('/agents/judge', { key: true }),
        hint: 'Add family: who made its model, such as "anthropic", "openai" or "google"',
      },
    ]);
  });
});
