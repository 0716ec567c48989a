import { isAbsolute, relative } from 'node:path';

/**
 * Where the runner looks for programs of its own: git, bash. `npx` puts the project's `node_modules/.bin` in front, and what an
 * agent may write there must not run with the runner's rights. Commands of stages keep the whole of PATH.
 */
export function ownPath(path: string | undefined, ...projects: readonly string[]): string {
  const places = (path ?? '').split(':').filter((place) => {
    if (!isAbsolute(place) || /(^|\/)node_modules(\/|$)/.test(place)) return false;
    return !projects.some((project) => isInside(place, project));
  });
  // An empty PATH would mean the folder that the program works in.
  return places.join(':') || '/nonexistent';
}

function isInside(place: string, project: string): boolean {
  const way = relative(project, place);
  return project !== '/' && !way.startsWith('..') && !isAbsolute(way);
}
