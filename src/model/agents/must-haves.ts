/** What has to be true when a plan was carried out, as its file says. */
export interface MustHaves {
  readonly truths: readonly string[];
  readonly artifacts: readonly Artifact[];
  readonly keyLinks: readonly KeyLink[];
}

export interface Artifact {
  readonly path: string;
  readonly provides?: string;
  readonly contains?: string;
  readonly exports?: readonly string[];
  readonly minLines?: number;
}

export interface KeyLink {
  readonly from: string;
  readonly to: string;
  readonly via?: string;
  readonly pattern?: string;
}

/** An artifact as it is looked for. */
export interface ArtifactWish extends Omit<Artifact, 'contains' | 'exports'> {
  readonly contains: readonly string[];
  readonly exports: readonly string[];
  readonly minBytes?: number;
}

export const artifactWish = ({ path, provides, contains, exports = [], minLines }: Artifact): ArtifactWish => ({
  path,
  contains: contains === undefined ? [] : [contains],
  exports,
  ...(provides === undefined ? {} : { provides }),
  ...(minLines === undefined || minLines === 0 ? {} : { minLines }),
});
