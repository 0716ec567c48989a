/** The mean of a list of numbers. */
export function mean(numbers) {
  if (numbers.length === 0) throw new RangeError('no numbers');
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
