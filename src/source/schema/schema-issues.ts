import type { JsonSchema } from '../../model/json-schema.js';
import { pointerOf } from '../../model/pointer.js';
import { didYouMean } from '../did-you-mean.js';
import { quotedList } from '../quoted-list.js';
import { type BranchChoice, chooseBranch } from './schema-branch.js';
import {
  type IssueWords,
  issueOf,
  labelOf,
  missingKey,
  type SchemaError,
  type SchemaIssue,
  valueIssue,
} from './schema-issue.js';
import { deref, describeSchema, showValue } from './schema-words.js';

export interface SchemaContext extends IssueWords {
  /** Checks a value against one alternative of an `anyOf`. */
  checkBranch(branch: JsonSchema, value: unknown): readonly SchemaError[];
}

/** Turns ajv's errors into issues: one for each mistake, and none for alternatives that were not meant. */
export function schemaIssues(errors: readonly SchemaError[], context: SchemaContext): SchemaIssue[] {
  const alternatives = new Set(errors.filter(isAlternative).map(({ instancePath }) => instancePath));
  const wrongType = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath));
  const issues: SchemaIssue[] = [];
  for (const error of errors) {
    const container = outermost(error.instancePath, alternatives);
    if (container === error.instancePath && isAlternative(error)) issues.push(...alternativeIssues(error, context));
    if (container !== undefined || error.propertyName !== undefined) continue;
    // Of a value of the wrong type nothing else is worth saying.
    if (error.keyword === 'type' || !wrongType.has(error.instancePath)) issues.push(issueOf(error, context));
  }
  return [...new Map(issues.map((issue) => [`${issue.pointer} ${issue.message}`, issue])).values()];
}

const isAlternative = ({ keyword }: SchemaError): boolean => keyword === 'anyOf' || keyword === 'oneOf';

/** The shortest of these paths that leads to a place. */
function outermost(place: string, paths: ReadonlySet<string>): string | undefined {
  if (paths.size === 0) return undefined;
  for (let end = 0; end >= 0; end = place.indexOf('/', end + 1))
    if (paths.has(place.slice(0, end))) return place.slice(0, end);
  return paths.has(place) ? place : undefined;
}

function alternativeIssues(error: SchemaError, context: SchemaContext): SchemaIssue[] {
  const { root } = context;
  const written = error.schema as readonly JsonSchema[];
  const branches = written.map((branch) => deref(branch, root));
  const choice = chooseBranch(branches, error.data);
  if (choice.kind === 'tag') return [tagIssue(error, choice, context)];

  const candidates = choice.indexes
    .map((index) => branchIssues(error, written[index]!, context))
    .filter((issues) => issues.length > 0)
    .sort((one, other) => one.length - other.length);
  const [fewest] = candidates;
  if (fewest && (candidates.length === 1 || typeof error.data === 'object')) return fewest;

  const expected = describeSchema({ anyOf: written }, root);
  if (expected === undefined) return [issueOf({ ...error, message: 'fits none of the forms it can have' }, context)];
  const kind = choice.indexes.length === 0 ? 'wrong-type' : 'not-allowed';
  return [valueIssue(error, { ...context, kind, expected })];
}

function branchIssues(error: SchemaError, branch: JsonSchema, context: SchemaContext): SchemaIssue[] {
  const errors = context.checkBranch(branch, error.data);
  return schemaIssues(
    errors.map((each) => ({ ...each, instancePath: error.instancePath + each.instancePath })),
    context,
  );
}

/** The alternatives are told apart by one key, such as `kind`, and its value is missing or unknown. */
function tagIssue(
  error: SchemaError,
  { tag, allowed }: Extract<BranchChoice, { readonly kind: 'tag' }>,
  words: IssueWords,
): SchemaIssue {
  const written = (error.data as Record<string, unknown>)[tag];
  if (written === undefined) {
    return { ...missingKey(error.instancePath, tag, words), hint: `"${tag}" is ${quotedList(allowed)}` };
  }
  const pointer = `${error.instancePath}${pointerOf(tag)}`;
  const hint = typeof written === 'string' ? didYouMean(written, allowed.map(String)) : undefined;
  const message = `${labelOf(pointer, words)} must be ${quotedList(allowed)}, but is ${showValue(written)}`;
  return { kind: 'not-allowed', pointer, message, ...(hint === undefined ? {} : { hint }) };
}
