import { parseDuration } from '../../model/duration.js';
import type { AutoGate, Gate, GateCheck, HumanGate, JudgeGate } from '../../model/generated/config.js';
import type { JsonSchema } from '../../model/json-schema.js';
import { pointerOf } from '../../model/pointer.js';
import { hasTemplate } from '../../source/template/template-node.js';
import type { Problems } from '../problems.js';
import type { PathRules } from '../rules/path-rules.js';
import { sortedKeys } from './stage-options.js';
import type { TemplateFields } from './template-fields.js';

type Path = readonly (string | number)[];

export interface GateTools {
  readonly fields: TemplateFields;
  readonly paths: PathRules;
  readonly problems: Problems;
}

/** The gate of one task: templates filled in, paths as plans have them, durations looked at. */
export function draftGate(gate: Gate, stage: string, tools: GateTools): Gate {
  if (typeof gate === 'string') return gate;
  return sortedKeys(new GateDraft(['stages', stage, 'gate'], tools).of(gate));
}

class GateDraft {
  readonly #at: Path;
  readonly #tools: GateTools;

  constructor(at: Path, tools: GateTools) {
    this.#at = at;
    this.#tools = tools;
  }

  of(gate: Exclude<Gate, string>): Exclude<Gate, string> {
    const evidence = gate.evidence ? { evidence: this.#list(gate.evidence, 'evidence') } : {};
    if (gate.kind === 'human') return { ...gate, ...evidence, ...this.#expires(gate) };
    if (gate.kind === 'auto') return { ...gate, ...evidence, checks: this.#checks(gate) };
    return { ...gate, ...evidence, criteria: this.#criteria(gate), ...this.#samples(gate) };
  }

  #list(patterns: readonly string[], key: string, at: Path = [...this.#at, key]): string[] {
    const { fields, paths } = this.#tools;
    return fields.texts(patterns, at).map((path, index) => paths.inside(path, [...at, index]));
  }

  #expires({ expires }: HumanGate): { expires?: string } {
    return expires === undefined ? {} : { expires: this.#duration(expires, [...this.#at, 'expires']) };
  }

  #checks({ checks }: AutoGate): AutoGate['checks'] {
    return checks.map((check, index) =>
      typeof check === 'string' ? check : this.#check(check, [...this.#at, 'checks', index]),
    );
  }

  #check({ command, timeout, file, schema }: GateCheck, at: Path): GateCheck {
    const { fields, paths } = this.#tools;
    const inside = (path: string, key: string): string => paths.inside(fields.text(path, [...at, key]), [...at, key]);
    return {
      ...(command === undefined ? {} : { command: fields.data(command, [...at, 'command'], shellText) as string }),
      ...(timeout === undefined ? {} : { timeout: this.#duration(timeout, [...at, 'timeout']) }),
      ...(file === undefined ? {} : { file: inside(file, 'file') }),
      ...(schema === undefined ? {} : { schema: inside(schema, 'schema') }),
    };
  }

  #criteria({ criteria }: JudgeGate): string[] {
    return this.#tools.fields.texts(criteria, [...this.#at, 'criteria']);
  }

  #samples({ calibrate }: JudgeGate): Pick<JudgeGate, 'calibrate'> {
    if (!calibrate) return {};
    const at = [...this.#at, 'calibrate'];
    return {
      calibrate: {
        good: this.#list(calibrate.good, 'good', [...at, 'good']),
        bad: this.#list(calibrate.bad, 'bad', [...at, 'bad']),
      },
    };
  }

  #duration(written: string, at: Path): string {
    const text = this.#tools.fields.text(written, at);
    const isUnfilled = text === written && hasTemplate(written);
    if (!isUnfilled && (parseDuration(text) ?? 0) <= 0)
      this.#tools.problems.add({
        code: 'AR206',
        message: `${at.at(-1)} must be a length of time, but is "${text}"`,
        at: { kind: 'config', pointer: pointerOf(...at) },
        hint: 'Write a whole number and a unit, such as 30s, 5m, 2h or 1d',
      });
    return text;
  }
}

const shellText: JsonSchema = { type: 'string', format: 'shell' };
