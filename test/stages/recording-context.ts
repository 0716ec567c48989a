import type {
  AgentEnd,
  AgentWish,
  CommandEnd,
  CommandOptions,
  JobEnd,
  JobWish,
  Json,
  JsonObject,
  MendWish,
  MustHaves,
  PastTrouble,
  PrintedEnd,
  StageContext,
  StageFacts,
} from 'autoresearch';
import { evaluate, parseData } from '../../src/adapters/behaviours/read-data.js';
import { drawFigure } from '../../src/cli/project/draw-figure.js';
import { boundedMatches, boundedSearch } from '../../src/run/attempt/bounded-pattern.js';
import { loadGlobMatch } from '../../src/source/glob.js';
import { loadValues } from '../../src/values/load-values.js';
import { sha256 } from '../support/sha256.js';

/** Everything a behaviour did to the world, in order. */
export type Effect =
  | { readonly kind: 'command'; readonly run: string | readonly string[]; readonly options?: CommandOptions }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'render'; readonly template: string; readonly data: JsonObject }
  | { readonly kind: 'job'; readonly wish: JobWish }
  | { readonly kind: 'change'; readonly set: { readonly [name: string]: string } }
  | { readonly kind: 'ask'; readonly wish: AgentWish }
  | { readonly kind: 'mend'; readonly wish: MendWish }
  | { readonly kind: 'log'; readonly line: string };

export interface World {
  /** Files that can be read; any other is missing. */
  readonly files?: { readonly [path: string]: string };
  /** How every command ends. */
  readonly commandEnd?: CommandEnd;
  /** What a captured command prints, and how it ends unless `commandEnd` says so. */
  readonly prints?: (run: string | readonly string[]) => Partial<PrintedEnd>;
  /** Stands in for Handlebars. */
  readonly render?: (template: string, data: JsonObject) => string;
  /** Files that were there before the run. */
  readonly older?: readonly string[];
  /** Files that a task of the run made. */
  readonly made?: readonly string[];
  readonly schemaProblem?: (path: string, schema: string) => string | undefined;
  readonly facts?: Partial<StageFacts>;
  /** How a job ends. */
  readonly jobEnd?: (wish: JobWish) => JobEnd;
  /** How every question ends. */
  readonly answer?: AgentEnd<never>;
  /** What another arm has been changed to. */
  readonly held?: () => { readonly [name: string]: string };
  /** What was changed for the arms of every parity check. */
  readonly changed?: { readonly [name: string]: string };
  readonly trouble?: PastTrouble;
  readonly feedback?: string;
  readonly agent?: string;
  readonly fixer?: string;
  /** What each file says must be true; any other has mistakes. */
  readonly mustHaves?: { readonly [path: string]: MustHaves };
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
  let held: { readonly [name: string]: string } = {};
  const files = new Map(Object.entries(world.files ?? {}));
  const context: StageContext & { readonly effects: Effect[] } = {
    ...plainFacts,
    ...(world.facts as StageFacts | undefined),
    effects,
    attempt: 1,
    root: '/nowhere',
    cwd: '/nowhere',
    async matching(patterns, paths) {
      const match = await loadGlobMatch();
      return paths.filter((path) => patterns.some((pattern) => match(pattern, path)));
    },
    signal: new AbortController().signal,
    command: (async (run: string | readonly string[], options?: CommandOptions) => {
      effects.push({ kind: 'command', run, ...(options === undefined ? {} : { options }) });
      const end = world.commandEnd ?? { ok: true };
      if (!options?.capture) return end;
      const exitCode = end.ok ? 0 : end.failure.code === 'command-failed' ? end.failure.exitCode : undefined;
      return {
        stdout: '',
        stderr: '',
        isCut: false,
        ...(exitCode === undefined ? {} : { exitCode }),
        ...world.prints?.(run),
        ...end,
      };
    }) as StageContext['command'],
    ...(world.trouble ? { trouble: world.trouble } : {}),
    ...(world.feedback ? { feedback: world.feedback } : {}),
    ...(world.agent ? { agent: world.agent } : {}),
    async job(wish) {
      effects.push({ kind: 'job', wish });
      return (
        world.jobEnd?.(wish) ?? { ok: true, job: { requeues: 0, runMs: 0, gpuHours: 0, followed: false, lines: [] } }
      );
    },
    parameters: {
      first: () => ({}),
      held: () => ({ ...held, ...world.held?.() }),
      ofCheck: () => world.changed ?? {},
      change: (set) => {
        effects.push({ kind: 'change', set });
        held = { ...held, ...set };
      },
    },
    ...(world.fixer ? { fixer: world.fixer } : {}),
    async mend(wish) {
      effects.push({ kind: 'mend', wish });
      return { ok: true, reply: { outcome: 'done', summary: 'mended', files: [] }, files: [] };
    },
    finds: boundedSearch,
    async readMustHaves(path) {
      effects.push({ kind: 'read', path });
      const mustHaves = world.mustHaves?.[path];
      return mustHaves ? { ok: true, mustHaves } : { ok: false, problems: [`${path}: wrong`] };
    },
    async ask(wish) {
      effects.push({ kind: 'ask', wish });
      return world.answer ?? { ok: false, failure: { code: 'behaviour-failed', detail: 'nobody answers' } };
    },
    listFiles: (patterns) => patterns.filter((path) => files.has(path)),
    async readFile(path) {
      effects.push({ kind: 'read', path });
      const content = files.get(path);
      if (content === undefined) throw new Error(`ENOENT: no such file, ${path}`);
      return content;
    },
    fileFacts: (path) => {
      const content = files.get(path);
      return content === undefined
        ? undefined
        : {
            sizeBytes: Buffer.byteLength(content),
            isOlder: world.older?.includes(path) ?? false,
            ...(world.made?.includes(path) ? { madeBy: 'earlier' } : {}),
          };
    },
    digest: (path) => (files.has(path) ? sha256(files.get(path)!) : undefined),
    matches: boundedMatches,
    async writeFile(path, content) {
      const text = typeof content === 'string' ? content : Buffer.from(content).toString('base64');
      effects.push({ kind: 'write', path, content: text });
      files.set(path, text);
    },
    parseData,
    readValues: (wish) => loadValues(wish, context),
    evaluate,
    schemaProblem: async (path, schema) => {
      effects.push({ kind: 'read', path }, { kind: 'read', path: schema });
      return world.schemaProblem?.(path, schema);
    },
    drawFigure,
    async render(template, data) {
      effects.push({ kind: 'render', template, data });
      return (world.render ?? fillIn)(template, data);
    },
    log(line) {
      effects.push({ kind: 'log', line });
    },
  };
  return context;
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
