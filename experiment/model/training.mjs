import { accuracy, createNetwork, meanLoss } from './network.mjs';
import { createRandom } from './random.mjs';
import { schedules } from './schedule.mjs';

/** What both arms have in common and nobody varies. */
export const fixed = { hidden: 16, batch: 32, momentum: 0.9 };

/**
 * Trains one network. The seed decides the first weights and the order of the points, and nothing else does; so the two
 * arms of one seed start from the same network and see the same batches.
 */
export function train({ arm, seed, steps, learningRate, warmup, data, onProgress }) {
  const random = createRandom(seed);
  const network = createNetwork([2, fixed.hidden, fixed.hidden, 1], random);
  const gradient = new Float64Array(network.parameters.length);
  const velocity = new Float64Array(network.parameters.length);
  const nextBatch = batches(data.train, random);
  let [rate, recent] = [0, 0];
  for (let step = 0; step < steps; step++) {
    rate = schedules[arm]({ peak: learningRate, step, steps, warmup });
    const loss = meanLoss(network, nextBatch(), gradient);
    if (!Number.isFinite(loss)) throw new Error(`the loss is ${loss} at step ${step + 1}: the training diverged`);
    descend(network.parameters, { velocity, gradient, rate });
    recent += loss;
    if ((step + 1) % 100 === 0) {
      onProgress({ step: step + 1, learningRate: rate, loss: recent / 100 });
      recent = 0;
    }
  }
  return {
    trainLoss: meanLoss(network, data.train),
    testLoss: meanLoss(network, data.test),
    testAccuracy: accuracy(network, data.test),
    finalLearningRate: rate,
  };
}

/** Goes through all points in a new order each time, a batch after another; a last short batch is left out. */
function batches(points, random) {
  let order = [];
  return () => {
    if (order.length < fixed.batch) order = random.shuffle([...points]);
    return order.splice(0, fixed.batch);
  };
}

function descend(parameters, { velocity, gradient, rate }) {
  for (let index = 0; index < parameters.length; index++) {
    velocity[index] = fixed.momentum * velocity[index] + gradient[index];
    parameters[index] -= rate * velocity[index];
  }
}
