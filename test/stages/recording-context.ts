import type { CommandEnd, CommandOptions, Json, JsonObject, StageContext, StageFacts } from 'autoresearch';

/** Everything a behaviour did to the world, in order. */
export type Effect =
  | { readonly kind: 'command'; readonly run: string | readonly string[]; readonly options?: CommandOptions }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'render'; readonly template: string; readonly data: JsonObject }
  | { readonly kind: 'log'; readonly line: string };

export interface World {
  /** Files that can be read; any other is missing. */
  readonly files?: { readonly [path: string]: string };
  /** How every command ends. */
  readonly commandEnd?: CommandEnd;
  /** Stands in for Handlebars. */
  readonly render?: (template: string, data: JsonObject) => string;
  readonly facts?: Partial<StageFacts>;
}

export const plainFacts: StageFacts = Object.freeze({
  task: 'stage',
  stage: 'stage',
  inputs: [],
  outputs: [],
  matrix: {},
  vars: {},
});

/** A context that does nothing but remember. */
export function recordingContext(world: World = {}): StageContext & { readonly effects: Effect[] } {
  const effects: Effect[] = [];
  const files = new Map(Object.entries(world.files ?? {}));
  return {
    ...plainFacts,
    ...world.facts,
    effects,
    attempt: 1,
    cwd: '/nowhere',
    signal: new AbortController().signal,
    async command(run, options) {
      effects.push({ kind: 'command', run, ...(options === undefined ? {} : { options }) });
      return world.commandEnd ?? { ok: true };
    },
    async readFile(path) {
      effects.push({ kind: 'read', path });
      const content = files.get(path);
      if (content === undefined) throw new Error(`ENOENT: no such file, ${path}`);
      return content;
    },
    async writeFile(path, content) {
      effects.push({ kind: 'write', path, content });
      files.set(path, content);
    },
    async render(template, data) {
      effects.push({ kind: 'render', template, data });
      return (world.render ?? fillIn)(template, data);
    },
    log(line) {
      effects.push({ kind: 'log', line });
    },
  };
}

/** `{{a.b}}` only: enough for tests that are not about Handlebars. */
function fillIn(template: string, data: JsonObject): string {
  return template.replaceAll(/\{\{([\w.]+)\}\}/g, (_, path: string) => {
    let value: Json | undefined = data;
    for (const part of path.split('.')) value = (value as { [key: string]: Json } | undefined)?.[part];
    if (value === undefined) throw new Error(`"${path}" is not defined`);
    return String(value);
  });
}
