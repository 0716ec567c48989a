import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordFile } from '../../adapters/iteration/iteration-record.js';
import { JournalFollower } from '../../adapters/journal/journal-follower.js';
import { openRunStore, type RunStore } from '../../adapters/journal/run-store.js';
import type { Secrets } from '../../model/secrets/secrets.js';
import { outcomeNames } from '../../report/history/outcome-text.js';
import { runCounts } from '../../report/history/run-counts.js';
import type { RunFacts } from '../../report/history/run-facts.js';
import { type LoopVerdict, toldOutcome } from '../../report/iterations/loop-outcome.js';
import type { CliContext } from '../context.js';
import { honest } from '../history/open-run.js';
import { loopFacts, loopVerdicts } from '../iterate/loop-now.js';
import type { LoopPlace } from '../iterate/loop-place.js';
import { runFacts } from '../report/facts.js';
import { growingFiles, type KnownFiles } from '../report/result-files.js';

/** One run that is looked at, whoever carries it out. */
export interface WatchedRun {
  readonly store: RunStore;
  readonly id: string;
  readonly follower: JournalFollower;
  /** Made anew when the journal has grown. */
  facts(): RunFacts | undefined;
  /** `running: 3 passed, 2 running`. */
  words(): string;
  /** Another whenever there is more to tell: the record of a loop grows after its runs have ended. */
  version(): string;
}

/** All runs of all agent ids of a project, each read once and then followed. */
export class RunWatch {
  readonly #known = new Map<string, WatchedRun>();
  readonly #root: string;
  /** By state folder, with what the record of iterations was like then. */
  readonly #loops = new Map<string, { readonly key: string; readonly verdicts: ReadonlyMap<string, LoopVerdict> }>();

  constructor(
    readonly context: CliContext,
    stateDir: string,
    readonly secrets: Secrets,
  ) {
    this.#root = dirname(dirname(stateDir));
  }

  list(): readonly { readonly agent: string; readonly run: string }[] {
    const folder = join(this.#root, '.autoresearch');
    if (!existsSync(folder)) return [];
    const agents = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return agents.flatMap(({ name: agent }) =>
      openRunStore(this.#root, agent)
        .ids()
        .map((run) => ({ agent, run })),
    );
  }

  /** Undefined for what is not in the list: a name leads to no other place. */
  find(agent: string | null, run: string | null): WatchedRun | undefined {
    const key = `${agent} ${run}`;
    const known = this.#known.get(key);
    if (known) {
      known.follower.look();
      return known;
    }
    if (!this.list().some((one) => one.agent === agent && one.run === run)) return undefined;
    const made = this.#watched(openRunStore(this.#root, agent!), run!, { ...this.context, agentId: agent! });
    this.#known.set(key, made);
    made.follower.look();
    return made;
  }

  /** Once for all runs of a loop: the list of runs asks for each of them. */
  #verdicts(place: LoopPlace): ReadonlyMap<string, LoopVerdict> {
    const key = recordVersion(place.dir);
    const known = this.#loops.get(place.dir);
    if (known?.key === key) return known.verdicts;
    const verdicts = loopVerdicts(place);
    this.#loops.set(place.dir, { key, verdicts });
    return verdicts;
  }

  #watched(store: RunStore, id: string, context: CliContext): WatchedRun {
    const follower = new JournalFollower(store.journalFile(id));
    const root = this.#root;
    const { secrets } = this;
    const verdicts = (): ReadonlyMap<string, LoopVerdict> => this.#verdicts({ root, dir: store.dir, context });
    const known: KnownFiles = new Map();
    let made: { readonly key: string; readonly facts: RunFacts } | undefined;
    return {
      store,
      id,
      follower,
      facts() {
        if (!follower.state) return undefined;
        const state = honest(follower.state, store);
        const key = `${this.version()} ${state.outcome}`;
        if (made?.key !== key) {
          const plan = store.readPlan(id);
          const run = {
            context,
            root,
            dir: store.runDir(id),
            state,
            plan,
            entries: [...follower.entries],
            secrets,
            known,
          };
          const loop = loopFacts({ root, dir: store.dir, context }, state);
          made = { key, facts: runFacts({ ...run, ...(loop ? { loop } : {}) }) };
        }
        const { facts } = made;
        const growing = growingFiles(root, { state, plan: facts.plan }, secrets.hideValues);
        if (growing.length === 0) return facts;
        return { ...facts, files: new Map([...facts.files, ...growing.map((file) => [file.path, file] as const)]) };
      },
      version() {
        if (!follower.state?.iteration) return String(follower.version);
        return `${follower.version} ${recordVersion(store.dir)}`;
      },
      words() {
        if (follower.problem !== undefined) return `cannot be trusted: ${follower.problem}`;
        if (!follower.state) return 'has not begun';
        const state = honest(follower.state, store);
        const outcome = toldOutcome(state, state.iteration && verdicts().get(id));
        return `${outcomeNames[outcome]}: ${runCounts(state, store.readPlan(id)).text || 'nothing yet'}`;
      },
    };
  }
}

/** Another whenever the record of a loop has grown. */
function recordVersion(dir: string): string {
  const record = statSync(recordFile(dir), { throwIfNoEntry: false });
  return `${record?.size} ${record?.ctimeMs}`;
}

/** What the routes of the dashboard go by. */
export interface RouteTools {
  readonly watch: RunWatch;
  readonly name: string;
  readonly readOnly: boolean;
}
