import { canonicalJson, isJsonObject, type Json } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import { whoAnswers } from '../agents/who-answers.js';

/** `run changed "a" → "b"`: for a researcher the most valuable line of the tool. */
export function optionChanges(then: Task | undefined, now: Task): string {
  if (!then) return 'the options are different';
  const changes = [
    ...changesIn('', then.options, now.options),
    ...changesIn('cwd', then.cwd, now.cwd),
    ...changesIn('outputs', [...then.outputs], [...now.outputs]),
    ...changesIn('schema', then.schema, now.schema),
    ...changesIn('agent', then.agent && whoAnswers(then.agent), now.agent && whoAnswers(now.agent)),
    ...changesIn('scope', listOf(then.scope), listOf(now.scope)),
    ...changesIn('task', partOf(then), partOf(now)),
  ];
  return changes.length > 0 ? changes.join('; ') : 'the options are different';
}

const partOf = ({ part }: Task): Json | undefined =>
  part?.kind === 'item' ? plain(part.item) : part?.kind === 'whole' ? plain(part.items) : undefined;

const listOf = (list: readonly string[] | undefined): Json | undefined => list && [...list];

/** Without what is undefined. */
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** As for options; the values of variables are shown, because a config is not a place for secrets. */
export function envChanges(then: Task | undefined, now: Task): string {
  const passed = (task: Task): Json[] | undefined => (task.passEnv ? [...task.passEnv] : undefined);
  const changes = then ? [...changesIn('', then.env, now.env), ...changesIn('passEnv', passed(then), passed(now))] : [];
  return changes.length > 0 ? changes.join('; ') : 'env is different';
}

function changesIn(name: string, then: Json | undefined, now: Json | undefined): string[] {
  if (isJsonObject(then) && isJsonObject(now)) {
    const keys = new Set([...Object.keys(then), ...Object.keys(now)]);
    return [...keys].flatMap((key) => changesIn(name ? `${name}.${key}` : key, then[key], now[key]));
  }
  if (then === undefined) return now === undefined ? [] : [`${name} added: ${show(now)}`];
  if (now === undefined) return [`${name} removed`];
  return canonicalJson(then) === canonicalJson(now) ? [] : [`${name} changed ${show(then)} → ${show(now)}`];
}

const show = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
};
