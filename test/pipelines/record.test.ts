import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedAgents } from './scripted-agents.js';
import { Study } from './study.js';

/**
 * Recordings follow from the prompts, so a change of a preset or of a prompt asks for new ones:
 *
 *   npm run record [-- -t code-task]
 *
 * runs each study once with the programs in test/pipelines/NAME/agents in the place of its agents, and keeps what they
 * answered and changed.
 */
describe.runIf(process.env.RECORD)('recordings', () => {
  it.each(Object.keys(scriptedAgents))('of %s are made anew', { timeout: 600_000 }, async (name) => {
    const cassettes = join(import.meta.dirname, name, 'cassettes');
    rmSync(cassettes, { recursive: true, force: true });
    const study = new Study(name);
    if (name === 'self-modify') study.install('claude.mjs', 'claude');
    const { code, stdout, stderr } = await study.execScripted(scriptedAgents[name]!, '--record');
    expect(code, `${stdout}${stderr}`).toBe(0);
    cpSync(join(study.dir, 'cassettes'), cassettes, { recursive: true });
    rmSync(join(cassettes, '.lock'), { recursive: true, force: true });
  });
});
