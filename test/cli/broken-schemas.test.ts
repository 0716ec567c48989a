import { describe, expect, it } from 'vitest';
import { configYaml, Project } from '../support/project.js';

const study = configYaml(
  `a: { uses: command, with: { run: 'echo ran >> ran; cat value.json > m.json' }, outputs: [m.json], schema: { m.json: s.json } }`,
);
const withSchema = (schema: string): Project =>
  new Project({ 'autoresearch.config.yaml': study, 's.json': schema, 'value.json': '{"loss":1,"acc":2}' });

describe('a schema that no output could satisfy', () => {
  it.each([
    ['{"type":"objct"}', 'AR517 the schema s.json is not valid: schema is invalid: data/type must be equal'],
    ['{"type":', 'AR517 s.json cannot be read: expected a value, but the file ends'],
    ['[1]', 'AR517 the schema s.json is not valid: it has to be an object'],
    ['{"requird":["x"]}', 'AR517 the schema s.json is not valid: strict mode: unknown keyword: "requird"'],
  ])('is found before anything runs: %s', async (schema, words) => {
    const project = withSchema(schema);
    const { code, stderr } = await project.run('exec');
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect([project.exists('ran'), project.exists('.autoresearch/default/runs')]).toEqual([false, false]);
    expect((await project.run('plan')).stdout).toContain('AR517');
  });

  it('is looked at later where a task writes it', async () => {
    const project = withSchema('{"type":"objct"}');
    const writes = `\n  s: { uses: command, with: { run: 'echo {} > s.json' }, outputs: [s.json] }`;
    project.write('autoresearch.config.yaml', `${study}${writes}\n`);
    expect(await project.run('exec', '--quiet')).toMatchObject({ code: 0 });
  });

  it('is none because it asks for a name that it does not describe: JSON Schema allows that', async () => {
    const project = withSchema('{"type":"object","required":["loss","acc"],"properties":{"loss":{"minimum":0}}}');
    expect((await project.run('exec')).code).toBe(0);
    project.write('value.json', '{"loss":1}');
    expect((await project.run('exec', '--force', 'a')).stdout).toContain('the value needs "acc"');
  });
});
