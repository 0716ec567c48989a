import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';

/** Puts another content under the name of an object: `forge-object.mjs GIT_DIR ID TYPE CONTENT_IN_HEX`. Git does not notice. */
const [gitDir, id, type, hex] = process.argv.slice(2);
const content = Buffer.from(hex, 'hex');
const folder = `${gitDir}/objects/${id.slice(0, 2)}`;
mkdirSync(folder, { recursive: true });
rmSync(`${folder}/${id.slice(2)}`, { force: true });
writeFileSync(
  `${folder}/${id.slice(2)}`,
  deflateSync(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])),
);
