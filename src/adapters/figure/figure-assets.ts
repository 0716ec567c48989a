import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What pictures are drawn with: the same font everywhere, so that the same figure has the same bytes on every machine. */
const assets = {
  'DejaVuSans.ttf': 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  'DejaVuSans-Bold.ttf': 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
  'resvg.wasm': '@resvg/resvg-wasm/index_bg.wasm',
} as const;

/** Beside the bundle, or among the packages where there is none. */
export function readAsset(name: keyof typeof assets): Buffer {
  const bundled = join(import.meta.dirname, 'vendor', name);
  return readFileSync(existsSync(bundled) ? bundled : join(import.meta.dirname, '../../../node_modules', assets[name]));
}
