export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** How one text became another, line by line. Texts that differ in too many lines are told as one block for another. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - start;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return [
    ...signed(' ', before.slice(0, start)),
    ...middle(before.slice(start, before.length - tail), after.slice(start, after.length - tail)),
    ...signed(' ', before.slice(before.length - tail)),
  ];
}

const mostCells = 4_000_000;

const signed = (sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] => lines.map((line) => ({ sign, line }));

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > mostCells) return [...signed('-', before), ...signed('+', after)];
  // The length of the longest common part of what follows each pair of lines.
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const here = i * width + j;
      common[here] =
        before[i] === after[j] ? common[here + width + 1]! + 1 : Math.max(common[here + width]!, common[here + 1]!);
    }
  }
  return walk({ before, after, common, width });
}

interface Table {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly common: Uint32Array;
  readonly width: number;
}

function walk({ before, after, common, width }: Table): DiffLine[] {
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const here = i * width + j;
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: ' ', line: before[i]! });
      i += 1;
      j += 1;
    } else if (j >= after.length || (i < before.length && common[here + width]! >= common[here + 1]!)) {
      lines.push({ sign: '-', line: before[i]! });
      i += 1;
    } else {
      lines.push({ sign: '+', line: after[j]! });
      j += 1;
    }
  }
  return lines;
}
