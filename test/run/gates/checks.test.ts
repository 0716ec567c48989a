import { describe, expect, it } from 'vitest';
import type { GateCheck } from '../../../src/model/generated/config.js';
import { of } from '../../support/attempts.js';
import { planOf, RunRig } from '../../support/run-rig.js';

const vars = { most: 0.1 };

/** How a gate with one check decides about a task that wrote these files. */
async function decision(check: string | GateCheck, files: Readonly<Record<string, string>>) {
  const rig = new RunRig();
  rig.work = async () => {
    for (const [path, text] of Object.entries(files)) rig.files.write(path, text);
    return { ok: true };
  };
  const outputs = Object.keys(files).filter((path) => files[path] !== '');
  const task = { id: 'a', outputs, matrix: { seed: 3 }, gate: { kind: 'auto' as const, checks: [check] } };
  const outcome = await rig.run(planOf([task]), { vars });
  const [decided] = of(rig, 'gate-decided');
  return outcome === 'passed' ? 'passed' : decided!.reasons.join('; ');
}

describe('the checks of a gate', () => {
  const metrics = { 'm.json': '{"loss": 0.05, "steps": 8, "name": "x", "none": null}' };

  it.each([
    'metrics.loss < 0.1',
    'metrics.loss <= vars.most && metrics.steps == 8',
    'params.seed == 3 && matrix.seed == 3 && params.most == 0.1',
    'outputs["m.json"].loss < 0.1',
    'name == "study"',
  ])('hold: %s', async (check) => {
    expect(await decision(check, metrics)).toBe('passed');
  });

  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['metrics.loss > 0.1', 'metrics.loss > 0.1 is false', metrics],
    ['metrics.accuracy > 0.5', 'metrics.accuracy > 0.5: unknown name "metrics.accuracy"', metrics],
    ['metrics.none < 1.0', 'metrics.none < 1.0: ', metrics],
    ['metrics.none != 1.0', 'metrics.none != 1.0: unknown name "metrics.none"', metrics],
    ['metrics.name < 1.0', 'metrics.name < 1.0: ', metrics],
    ['metrics.loss', 'metrics.loss: the expression gives ', metrics],
    ['metrics.loss < 1.0', 'metrics.loss < 1.0: ', { 'm.yaml': 'loss: .nan\n' }],
    ['metrics.loss > 1.0', 'metrics.loss > 1.0: ', { 'm.yaml': 'loss: .inf\n' }],
    ['metrics.loss < 1.0', 'm.json cannot be read', { 'm.json': '{"loss": NaN}' }],
    ['metrics.loss < 1.0', 'unknown name "metrics.loss"', { 'm.txt': 'loss: 0.1' }],
    [
      'metrics.loss < 1.0',
      'metrics.loss is one thing in a.json and another in b.json; name the file: outputs["b.json"]',
      { 'a.json': '{"loss": 0.1}', 'b.json': '{"loss": 0.2}' },
    ],
  ])('do not hold: %s %#', async (check, said, files) => {
    expect(await decision(check, files)).toContain(said);
  });

  it.each<[GateCheck, string]>([
    [{ file: 'm.json' }, 'passed'],
    [{ file: 'm.json', schema: 'always' }, 'passed'],
    [{ file: 'gone.json' }, 'gone.json is not there'],
    [{ file: 'm.json', schema: 'never' }, 'm.json does not satisfy never: m.json is not right'],
    [{ file: 'empty.txt' }, 'empty.txt is empty'],
  ])('files: %j', async (check, said) => {
    expect(await decision(check, { ...metrics, 'empty.txt': '' })).toBe(said);
  });

  it('no checks at all do not pass, should a plan ever have none', async () => {
    const rig = new RunRig();
    expect(await rig.run(planOf([{ id: 'a', gate: 'auto' }]))).toBe('failed');
    expect(of(rig, 'gate-decided')).toMatchObject([{ verdict: 'reject', reasons: ['there are no checks'] }]);
  });
});
