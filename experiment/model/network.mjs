/**
 * A fully connected network with tanh layers and one logit, written out by hand. All weights are in one flat array, so
 * that an optimiser is a loop and a gradient can be checked number by number.
 */
export function createNetwork(sizes, random) {
  const layers = [];
  let offset = 0;
  for (let index = 1; index < sizes.length; index++) {
    const [inputs, outputs] = [sizes[index - 1], sizes[index]];
    layers.push({ inputs, outputs, weights: offset, biases: offset + inputs * outputs });
    offset += (inputs + 1) * outputs;
  }
  const parameters = new Float64Array(offset);
  for (const { inputs, outputs, weights } of layers) {
    const scale = Math.sqrt(1 / inputs);
    for (let index = 0; index < inputs * outputs; index++) parameters[weights + index] = scale * random.normal();
  }
  return {
    layers,
    parameters,
    values: sizes.map((size) => new Float64Array(size)),
    errors: sizes.map((size) => new Float64Array(size)),
  };
}

/** The logit of label 1. Leaves the value of every unit in `network.values` for the way back. */
export function forward({ layers, parameters, values }, x, y) {
  values[0][0] = x;
  values[0][1] = y;
  for (const [index, { inputs, outputs, weights, biases }] of layers.entries()) {
    const [from, to] = [values[index], values[index + 1]];
    const last = index === layers.length - 1;
    for (let unit = 0; unit < outputs; unit++) {
      let sum = parameters[biases + unit];
      const row = weights + unit * inputs;
      for (let input = 0; input < inputs; input++) sum += parameters[row + input] * from[input];
      to[unit] = last ? sum : Math.tanh(sum);
    }
  }
  return values[layers.length][0];
}

/** Adds the gradient of the last point's loss to `gradient`; `error` is the derivative of that loss by the logit. */
function backward({ layers, parameters, values, errors }, error, gradient) {
  errors[layers.length][0] = error;
  for (let index = layers.length - 1; index >= 0; index--) {
    const { inputs, outputs, weights, biases } = layers[index];
    const [from, below, above] = [values[index], errors[index], errors[index + 1]];
    below.fill(0);
    for (let unit = 0; unit < outputs; unit++) {
      const delta = above[unit];
      const row = weights + unit * inputs;
      gradient[biases + unit] += delta;
      for (let input = 0; input < inputs; input++) {
        gradient[row + input] += delta * from[input];
        below[input] += delta * parameters[row + input];
      }
    }
    // The derivative of tanh by its input, in terms of its output.
    if (index > 0) for (let input = 0; input < inputs; input++) below[input] *= 1 - from[input] ** 2;
  }
}

/** Mean loss over the points; with `gradient`, also the mean gradient. */
export function meanLoss(network, points, gradient) {
  gradient?.fill(0);
  let total = 0;
  for (const [x, y, label] of points) {
    const logit = forward(network, x, y);
    total += crossEntropy(logit, label);
    if (gradient) backward(network, sigmoid(logit) - label, gradient);
  }
  if (gradient) for (let index = 0; index < gradient.length; index++) gradient[index] /= points.length;
  return total / points.length;
}

export function accuracy(network, points) {
  const right = points.filter(([x, y, label]) => forward(network, x, y) > 0 === (label === 1));
  return right.length / points.length;
}

/** Written so that neither a large nor a small logit overflows. */
const crossEntropy = (logit, label) => Math.max(logit, 0) - logit * label + Math.log1p(Math.exp(-Math.abs(logit)));

const sigmoid = (logit) => 1 / (1 + Math.exp(-logit));
