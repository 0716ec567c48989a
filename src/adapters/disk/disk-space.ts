import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

export interface DiskSpace {
  /** The folder itself, or the nearest above it that is there. */
  readonly at: string;
  readonly isThere: boolean;
  readonly isWritable: boolean;
  /** Its kind, such as `ext4`; a number where its name is not known. */
  readonly filesystem: string;
  readonly freeBytes: number;
  /** Absent where the file system does not count them. */
  readonly freeFiles?: number;
}

export function diskSpace(folder: string): DiskSpace {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  const { type, bavail, bsize, files, ffree } = statfsSync(at);
  return {
    at,
    isThere: at === folder,
    isWritable: isWritable(at),
    filesystem: kinds[type.toString(16)] ?? `0x${type.toString(16)}`,
    freeBytes: bavail * bsize,
    ...(files === 0 ? {} : { freeFiles: ffree }),
  };
}

/** Entering counts too. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** By the hexadecimal numbers of statfs(2) on Linux. */
const kinds: { readonly [type: string]: string } = {
  ef53: 'ext4',
  '58465342': 'xfs',
  '9123683e': 'btrfs',
  '2fc12fc1': 'zfs',
  f2f52010: 'f2fs',
  '1021994': 'tmpfs',
  '858458f6': 'ramfs',
  '794c7630': 'overlay',
  '6969': 'nfs',
  ff534d42: 'cifs',
  fe534d42: 'smb2',
  '65735546': 'fuse',
  '1021997': '9p',
  bd00bd0: 'lustre',
  '47504653': 'gpfs',
  c36400: 'ceph',
  '19830326': 'beegfs',
};
