/** A file of the record as it was when what it tells of was over. */
export interface KeptFile {
  readonly bytes: number;
  readonly digest: string;
}

/** By name, in one folder. */
export interface KeptFiles {
  readonly [name: string]: KeptFile;
}
