import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedAgents } from '../pipelines/scripted-agents.js';
import { Project } from '../support/project.js';
import { followPage, type Who } from './page.js';

/** Whole studies, on a machine that may be busy. */
const timeout = 300_000;

/** All roles of the preset deep-learning but the judge: the page lets a person decide. */
const team = Object.fromEntries(
  Object.entries(scriptedAgents['deep-learning']!)
    .filter(([agent]) => agent !== 'judge')
    .map(([agent, program]) => [agent, `test/pipelines/deep-learning/agents/${program}`]),
);

/** Who works in the place of the agents of each page. */
const workers: Readonly<Record<string, Who>> = {
  'deep-learning': { agents: team },
  'code-task': { agents: { coder: 'test/pipelines/code-task/agents/coder.mjs' } },
  'rl-parity': {
    agents: {
      executor: 'test/pipelines/rl-parity/agents/recipe.mjs executor',
      verifier: 'test/pipelines/rl-parity/agents/recipe.mjs verifier',
    },
    families: { executor: 'anthropic', verifier: 'openai' },
  },
  'metric-loop': { agents: { coder: 'test/pipelines/metric-loop/agents/coder.mjs' } },
  'self-modify': {
    programs: { claude: 'test/pipelines/self-modify/agents/claude.mjs' },
    agents: { judge: 'test/pipelines/self-modify/agents/judge.mjs' },
  },
};

const pages = readdirSync(resolve(import.meta.dirname, '../../docs/recipes')).map((page) => page.replace('.md', ''));

describe('recipes', () => {
  // Side by side: they mostly wait.
  it.concurrent.each(pages)('%s: from an empty folder to a run', { timeout }, async (name) => {
    expect(await followPage(join('docs/recipes', `${name}.md`), new Project(), workers[name])).toEqual([]);
  });
});
