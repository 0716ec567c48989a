import { join } from 'node:path';
import { Notifier } from '../../adapters/person/notifier.js';
import { systemClock } from '../../adapters/system-clock.js';
import type { EphemeralEvent, JournalEntry } from '../../model/events/event.js';
import type { Config } from '../../model/generated/config.js';
import type { Plan } from '../../model/plan.js';
import type { CommandRunner, Reporter, RunInfo } from '../../model/ports.js';
import { eventSummary } from '../../report/live/event-summary.js';
import { loadTemplates, type Templates } from '../../source/template/template.js';
import type { RunEnvironment } from './run-environment.js';

export interface NotifyInput {
  readonly config: Config;
  readonly root: string;
  readonly runDir: string;
  readonly commands: CommandRunner;
  readonly environment: RunEnvironment;
}

/** The view, and beside it the commands of `notify`. */
export async function withNotifications(view: Reporter, input: NotifyInput): Promise<Reporter> {
  const notify = input.config.notify ?? [];
  return notify.length === 0 ? view : new Notifying(view, input, await loadTemplates(notify.map(({ run }) => run)));
}

class Notifying implements Reporter {
  readonly #view: Reporter;
  readonly #config: Config;
  readonly #templates: Templates;
  readonly #notifier: Notifier;
  readonly #environment: RunEnvironment;
  #run = '';
  #isClosed = false;

  constructor(view: Reporter, { config, root, runDir, commands, environment }: NotifyInput, templates: Templates) {
    const dir = join(runDir, 'notify');
    this.#environment = environment;
    this.#view = view;
    this.#config = config;
    this.#templates = templates;
    this.#notifier = new Notifier({
      commands,
      clock: systemClock,
      cwd: root,
      dir,
      ...(config.passEnv ? { scrub: () => environment.scrub(dir, config.passEnv ?? []) } : {}),
      onProblem: (text) => view.ephemeral({ type: 'notice', text }),
    });
  }

  planExtended(plan: Plan): void {
    this.#view.planExtended(plan);
  }

  runStarted(plan: Plan, info: RunInfo): void {
    this.#run = info.run;
    this.#view.runStarted(plan, info);
  }

  recorded(entry: JournalEntry): void {
    this.#view.recorded(entry);
    for (const { on, run } of this.#config.notify ?? []) {
      if ((on as readonly string[]).includes(entry.type)) this.#send(run, entry);
    }
  }

  ephemeral(event: EphemeralEvent): void {
    this.#view.ephemeral(event);
  }

  pause(): Promise<void> {
    return this.#view.pause?.() ?? Promise.resolve();
  }

  resume(): void {
    this.#view.resume?.();
  }

  async close(): Promise<void> {
    if (!this.#isClosed) await this.#notifier.close();
    this.#isClosed = true;
    await this.#view.close();
  }

  #send(run: string, entry: JournalEntry): void {
    const { name, vars = {}, passEnv } = this.#config;
    const { hide, hideValues } = this.#environment.secrets;
    const event = {
      type: entry.type,
      summary: hide(eventSummary(entry, { name, run: this.#run })),
      task: 'task' in entry ? (entry.task ?? '') : '',
      run: this.#run,
      outcome: entry.type === 'run-finished' ? entry.outcome : '',
      time: entry.at,
    };
    const rendered = this.#templates.render(run, { event, vars, name }, { mode: 'shell' });
    if (!rendered.ok) {
      this.#notifier.complain(`a notification cannot be put into words: ${rendered.error[0]?.message ?? run}`);
      return;
    }
    const own = { AUTORESEARCH_RUN: this.#run, AUTORESEARCH_EVENT: entry.type };
    const env = { ...this.#environment.passed(passEnv), ...own };
    this.#notifier.send({ run: String(rendered.value.value), input: hideValues(JSON.stringify(entry)), env });
  }
}
