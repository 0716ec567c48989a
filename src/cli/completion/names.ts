import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CliContext } from '../context.js';
import { storeFor } from '../history/open-run.js';
import type { NameKind } from './name-kind.js';
import type { NamesOf, Offer } from './offers.js';

/** The names of each kind. What cannot be read has none: nobody wants to see an error while typing. */
export const namesFor =
  (context: CliContext): NamesOf =>
  async (kind) => {
    try {
      return await lookups[kind](context);
    } catch {
      return [];
    }
  };

const plain = (values: readonly string[]): readonly Offer[] => values.map((value) => ({ value }));

const lookups: Record<NameKind, (context: CliContext) => Promise<readonly Offer[]>> = {
  async stages(context) {
    const { stages } = await configOf(context);
    return Object.entries(stages).map(([value, { uses }]) => ({ value, about: uses }));
  },
  /** Of the newest run, because its plan is at hand; where there is none the config has to be compiled. */
  async tasks(context) {
    const store = await storeFor(context);
    const [newest] = store.ids();
    const known = newest === undefined ? undefined : store.readPlan(newest);
    if (known) return plain(known.tasks.map(({ id }) => id));
    const { openProject } = await import('../project/open-project.js');
    const project = await openProject(context);
    return project.ok ? plain(project.value.plan.tasks.map(({ id }) => id)) : [];
  },
  async runs(context) {
    return plain((await storeFor(context)).ids());
  },
  async 'agent-ids'(context) {
    const place = dirname((await storeFor(context)).dir);
    return plain(readdirSync(place, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : [])));
  },
  async variables(context) {
    const { vars = {} } = await configOf(context);
    return Object.entries(vars).map(([name, value]) => ({ value: `${name}=`, about: `now ${JSON.stringify(value)}` }));
  },
  async presets() {
    const { presetSummaries } = await import('../commands/presets.js');
    return presetSummaries().map(({ name, summary }) => ({ value: name, about: summary }));
  },
  async behaviours() {
    const { behaviourSummaries } = await import('../commands/stages.js');
    return (await behaviourSummaries()).map(({ name, summary }) => ({ value: name, about: summary }));
  },
  async codes() {
    const { catalogue } = await import('../../model/catalogue/catalogue.js');
    return Object.entries(catalogue).map(([value, { title }]) => ({ value, about: title }));
  },
  async schemas() {
    const { schemaNames } = await import('../commands/schema.js');
    return plain(schemaNames());
  },
};

async function configOf(context: CliContext) {
  const { resolveFor } = await import('../project/open-project.js');
  const resolved = await resolveFor(context);
  if (!resolved.ok) throw new Error('the config cannot be read');
  return resolved.value.config;
}
