import type { StageContext, ValueSource } from 'autoresearch';
import type { ParityOptions } from './options.js';

type Arms = { readonly [name: string]: ValueSource };

/** A file is always equal to itself, also through a link: two arms that are read from one are not compared. */
export function sameFileTwice(
  { arms, resolved = {} }: Pick<ParityOptions, 'arms' | 'resolved'>,
  context: Pick<StageContext, 'fileFacts'>,
): string[] {
  const own = idsOf(arms, context);
  const said = idsOf(resolved, context);
  return [
    ...twice('arms', own),
    ...twice('resolved', said),
    ...said.flatMap(({ name, file, id }) => {
      const config = own.find((arm) => arm.id === id);
      if (!config) return [];
      const whose = config.name === name ? 'the arm itself' : `the arm ${config.name}`;
      return [`${name} (${file}): it is the file of ${whose}, ${config.file}`];
    }),
  ];
}

interface Read {
  readonly name: string;
  readonly file: string;
  /** Which file it is, and which part of it. */
  readonly id: string;
}

function idsOf(arms: Arms, context: Pick<StageContext, 'fileFacts'>): Read[] {
  return Object.entries(arms).flatMap(([name, arm]) => {
    if (typeof arm === 'object' && 'run' in arm) return [];
    const file = typeof arm === 'string' ? arm : arm.file;
    const id = context.fileFacts(file)?.id;
    if (id === undefined) return [];
    const { file: _file, format: _format, ...part } = typeof arm === 'string' ? { file: arm } : arm;
    return [{ name, file, id: JSON.stringify([id, part]) }];
  });
}

function twice(option: string, read: readonly Read[]): string[] {
  return read.flatMap(({ name, file, id }, at) => {
    const other = read.slice(0, at).find((one) => one.id === id);
    return other
      ? [`${other.name} and ${name} of ${option} are read from the same file, ${other.file} and ${file}`]
      : [];
  });
}
