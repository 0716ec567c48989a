import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openVault, type Vault } from '../../../src/adapters/vault/vault.js';
import { until } from '../../support/until.js';

export const protect = ['eval/**', 'design/metrics.yaml'];

export const files: Record<string, string> = {
  'eval/score.py': 'print(1)\nprint(2)\nprint(3)\n',
  'eval/data/truth.csv': 'a,b\n1,2\n',
  'eval/data/.hidden': 'dot\n',
  'eval/run.sh': '#!/bin/sh\nexit 1\n',
  'design/metrics.yaml': 'loss: min\n',
  'design/notes.md': 'free\n',
  'src/model.py': 'x = 1\n',
};

export interface Rig {
  readonly root: string;
  readonly outside: string;
  readonly dir: string;
  readonly evidence: string;
  readonly vault: Vault;
  agent(script: string): void;
}

/** A project whose files are old enough for their stamps to be believed. */
export async function rig(): Promise<Rig> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'vault-')));
  const [root, outside] = [join(home, 'project'), join(home, 'outside')];
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(outside);
  execFileSync('sh', ['-c', 'chmod 755 eval/run.sh && ln -s score.py eval/alias && mkdir eval/empty'], { cwd: root });
  const made = Date.now();
  await until(() => Date.now() > made + 60);
  const agent = (script: string): void => {
    execFileSync('bash', ['--norc', '-euc', script], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', OUT: outside },
      timeout: 60_000,
    });
  };
  const dir = join(home, 'vault');
  return { root, outside, dir, evidence: join(home, 'evidence'), agent, vault: await openVault({ root, dir }) };
}

/** Everything below a folder, names as bytes: type, mode and content. */
export function picture(folder: string): Record<string, string> {
  const all: Record<string, string> = {};
  const draw = (below: string): void => {
    for (const name of readdirSync(at(below), { encoding: 'latin1' })) {
      const path = below === '' ? name : `${below}/${name}`;
      const stats = lstatSync(at(path));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) all[path] = `link ${readlinkSync(at(path))}`;
      else if (stats.isDirectory()) {
        all[path] = `folder ${mode}`;
        draw(path);
      } else if (stats.isFile())
        all[path] = `file ${mode} ${createHash('sha256')
          .update(readFileSync(at(path)))
          .digest('hex')}`;
      else all[path] = 'other';
    }
  };
  const at = (path: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
  draw('');
  return all;
}

const isProtected = (path: string): boolean =>
  // What stands in a folder where a protected file should be is in its place, and has to go.
  path === 'eval' || path.startsWith('eval/') || path === 'design' || /^design\/metrics\.yaml(?:\/|$)/.test(path);
export const onlyProtected = (all: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(all).filter(([path]) => isProtected(path)));
export const withoutProtected = (all: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(all).filter(([path]) => !isProtected(path)));
