import { lstatSync, statSync } from 'node:fs';
import type { FileOrigin } from '../../model/ports.js';

/** Undefined for what is no file, or cannot be reached. */
export function originAt(file: string): FileOrigin | undefined {
  try {
    const stat = statSync(file, { bigint: true });
    if (!stat.isFile()) return undefined;
    const isLinked = stat.nlink > 1n || lstatSync(file).isSymbolicLink();
    // Elsewhere a date that is set before the birth moves the birth; and some disks answer with 1970.
    const isTold = process.platform === 'linux' && stat.birthtimeNs > 0n;
    return {
      id: `${stat.dev}:${stat.ino}`,
      ...(isTold ? { bornNs: stat.birthtimeNs } : {}),
      isLinked,
    };
  } catch {
    return undefined;
  }
}
