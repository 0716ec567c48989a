import type { DiagnosticCode } from '../../model/catalogue/catalogue.js';
import { pointerOf } from '../../model/pointer.js';
import type { Problems } from '../problems.js';

type Path = readonly (string | number)[];

/** `./a//b/` and `a/b` are one path; plans, edges and journals know only the second. */
export function normalPath(path: string): string {
  if (!unusual.test(path)) return path;
  const absolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return `${absolute ? '/' : ''}${parts.join('/')}` || '.';
}

/** An empty part, `.` or `..`: nearly all paths are written without. */
const unusual = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** Where a path may lead: what a stage writes stays in the project, what it reads need not. */
export class PathRules {
  readonly #problems: Problems;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  inside(path: string, at: Path): string {
    const normal = this.anywhere(path, at);
    // Read by itself, it would mean everything but this, and so open the whole project.
    if (normal.startsWith('!'))
      this.#complain('AR504', `${path} is an exception, and what is written can only be named`, {
        at,
        hint: 'Name what is written, without "!"',
      });
    if (/^\.(autoresearch|git)(\/|$)/.test(normal)) {
      this.#complain('AR504', `${path} belongs to ${normal.startsWith('.git') ? 'git' : 'autoresearch'}`, {
        at,
        hint: 'Write it elsewhere',
      });
    }
    if (normal.startsWith('/') || normal === '..' || normal.startsWith('../')) {
      this.#complain('AR504', `${path} leads out of the project`, {
        at,
        hint: 'Write a path below the folder of the config',
      });
    }
    return normal;
  }

  anywhere(path: string, at: Path): string {
    if (path === '') this.#complain('AR408', 'this gives an empty path, which would mean the whole project', { at });
    if (path.includes('\0')) this.#complain('AR504', 'a path cannot hold a NUL character', { at });
    if (/^~(\/|$)/.test(path)) {
      this.#complain('AR504', `${path}: ~ is not your home folder here`, { at, hint: 'Write the path out' });
    }
    if (/^!(?!\()/.test(path)) {
      this.#complain('AR204', `${path}: patterns that take something out are not supported`, {
        at,
        hint: 'Name what belongs to it instead',
      });
    }
    return normalPath(path);
  }

  #complain(code: DiagnosticCode, message: string, { at, hint }: { at: Path; hint?: string }): void {
    this.#problems.add({
      code,
      message,
      at: { kind: 'config', pointer: pointerOf(...at) },
      ...(hint === undefined ? {} : { hint }),
    });
  }
}
