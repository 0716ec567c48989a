import { expect, test } from 'vitest';
import { createNetwork, createRandom, makeSpirals, meanLoss } from './modules.js';

test.each([[[2, 1]], [[2, 5, 1]], [[2, 7, 4, 1]]])('the gradient of %j is the slope of the loss', (sizes) => {
  const random = createRandom(11);
  const network = createNetwork(sizes, random);
  for (let index = 0; index < network.parameters.length; index++) network.parameters[index]! += 0.3 * random.normal();
  const points = makeSpirals({ count: 9, noise: 0.1, seed: 3 });
  const gradient = new Float64Array(network.parameters.length).fill(99);
  meanLoss(network, points, gradient);

  const nudge = 1e-5;
  for (const [index, slope] of gradient.entries()) {
    const before = network.parameters[index]!;
    network.parameters[index] = before + nudge;
    const above = meanLoss(network, points);
    network.parameters[index] = before - nudge;
    const below = meanLoss(network, points);
    network.parameters[index] = before;
    expect(slope, `parameter ${index}`).toBeCloseTo((above - below) / (2 * nudge), 8);
  }
});

test('the loss of a network that knows nothing is log 2, and a sure answer neither overflows nor is free', () => {
  const network = createNetwork([2, 1], createRandom(1));
  network.parameters.fill(0);
  expect(meanLoss(network, [[1, 1, 0]])).toBeCloseTo(Math.LN2, 12);
  network.parameters.fill(1000);
  expect(meanLoss(network, [[1, 1, 1]])).toBe(0);
  expect(meanLoss(network, [[1, 1, 0]])).toBe(3000);
});

test('random numbers are even, normal and repeatable, and differ between neighbouring seeds', () => {
  const draw = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 20_000 }, () => random.next());
  };
  expect(draw(5)).toEqual(draw(5));
  expect(draw(5).slice(0, 3)).not.toEqual(draw(6).slice(0, 3));
  const numbers = draw(0);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  expect(numbers.reduce((sum, value) => sum + value) / numbers.length).toBeCloseTo(0.5, 1);

  const random = createRandom(9);
  const normals = Array.from({ length: 20_000 }, () => random.normal());
  expect(normals.reduce((sum, value) => sum + value) / normals.length).toBeCloseTo(0, 1);
  expect(normals.reduce((sum, value) => sum + value ** 2) / normals.length).toBeCloseTo(1, 1);
  expect(normals.filter((value) => Math.abs(value) < 1.96).length / normals.length).toBeCloseTo(0.95, 1);
});
