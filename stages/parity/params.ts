/**
 * Whether a written name means a path: itself, everything below it, and `*` for any part. `lora`, `lora.*` and `lora.r*`
 * all mean `lora.rank`.
 */
export function means(written: string, path: string): boolean {
  const [parts, steps] = [written.split('.'), path.split('.')];
  return parts.length <= steps.length && parts.every((part, at) => fits(part, steps[at]!));
}

function fits(part: string, step: string): boolean {
  if (!part.includes('*')) return part === step;
  const pieces = part.split('*');
  const [head, tail] = [pieces[0]!, pieces.at(-1)!];
  if (step.length < head.length + tail.length || !step.startsWith(head) || !step.endsWith(tail)) return false;
  let at = head.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = step.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= step.length - tail.length;
}
