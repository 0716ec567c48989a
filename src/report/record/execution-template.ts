/** `execution.md` unless a lab has a template of its own. The names are those of `execution.json`, made safe for Markdown. */
export const executionTemplate = `# {{name}}, run {{run}}{{#if iteration}}, {{iteration}}{{/if}}{{#if answers}}{{else}}: {{status}}{{/if}}

{{#if answers}}
{{#each answers}}
- {{asked}}: {{#if changed}}not known, {{file}} is not what the run made; it now says {{verdict}}{{else}}**{{verdict}}** ({{found}}; {{file}}:{{line}}){{/if}}
{{/each}}

The run: {{status}}, {{reason}}.
{{else}}
Reason: {{reason}}.
{{/if}}

| | |
|---|---|
| outcome | {{outcome}} |
| started | {{startedAt}} |
| finished | {{finishedAt}} |
| at work | {{worked}} |
| plan | {{planDigest}} |
| branch | {{branch}} |
| commit | {{commit}}{{#if changedFiles}} and {{changedFiles}} changed files{{/if}} |
| agents | {{spent}} |
{{#if loop}}

## Loop

{{#each loop.words}}
- {{this}}
{{/each}}
- from {{loop.record}}, of {{loop.lines}} lines then
{{/if}}

## Plans

| plan | wave | tasks | status | commits |
|---|---|---|---|---|
{{#each plans}}
| {{plan}} | {{wave}} | {{passed}} of {{tasks}} | {{status}} | {{commits}} |
{{else}}
| none | | | | |
{{/each}}

## Commits

{{#each commits}}
- \`{{commit}}\` {{task}}{{#if branch}} (merged from {{branch}}){{/if}}: {{files}}
{{else}}
None.
{{/each}}
{{#each worktrees}}
- worktree of {{task}}: \`{{branch}}\` in {{path}}, {{state}}{{#if why}}: {{why}}{{/if}}
{{/each}}

## Changes

{{#each changes}}
- {{task}}, {{by}}: {{summary}} ({{files}}; journal.jsonl:{{line}})
{{else}}
No agent changed a file.
{{/each}}

## Validation

{{#each validations}}
- {{task}} ({{uses}}): {{status}}{{#if detail}}: {{detail}}{{/if}}
{{#each tests}}
  - {{status}} {{name}}{{#if detail}}: {{detail}}{{/if}}
{{/each}}
{{else}}
Nothing was validated.
{{/each}}

## Jobs

{{#each jobs}}
- {{id}} on {{cluster}} for {{task}}: submitted {{submittedAt}}, {{state}}; {{#if config}}{{config}}; {{/if}}order {{order}} (journal.jsonl:{{line}}){{#if because}}; it followed another one, because {{because}}{{/if}}
{{else}}
None.
{{/each}}

## Monitoring

{{#if monitoring}}
| task | log | last step | seconds a step | last loss | errors |
|---|---|---|---|---|---|
{{#each monitoring}}
| {{task}} | {{file}} | {{lastStep}} | {{stepSeconds}} | {{lastLoss}}{{#if lossLine}} ({{lossName}}, line {{lossLine}}){{/if}} | {{errors}} |
{{/each}}
{{else}}
No log names its steps.
{{/if}}

## Fixes

{{#each fixes}}
- {{task}}, attempt {{attempt}} {{what}} ({{errorClass}}; journal.jsonl:{{line}}){{#if by}}; mended by {{by}}: {{did}}{{/if}}{{#if escalatedTo}}; {{escalatedTo}} was asked{{/if}}; then: {{afterwards}}
{{else}}
No attempt failed.
{{/each}}
{{#each stops}}
- {{task}}, attempt {{attempt}} {{what}}, which is no failure (journal.jsonl:{{line}}); then: {{afterwards}}
{{/each}}
{{#each mends}}
- {{task}}, in the middle of attempt {{attempt}}: mended by {{by}}: {{did}} (journal.jsonl:{{line}})
{{/each}}

## Gates

{{#each gates}}
- {{task}} ({{kind}}): {{verdict}}{{#if by}} by {{by}}{{/if}}{{#if from}} in run {{from}} ({{at}}), about the very same{{/if}}{{#if reasons}}: {{reasons}}{{/if}} (journal.jsonl:{{line}})
{{else}}
None.
{{/each}}

## Verification

{{#each verifications}}
- {{task}}: {{status}}, score {{score}}
{{#each gaps}}
  - gap: {{this}}
{{/each}}
{{else}}
Nothing was verified.
{{/each}}

## Review

{{#each reviews}}
- {{task}}: {{verdict}}, fidelity {{fidelity}}, confidence {{confidence}}{{#if detail}}: {{detail}}{{/if}}
{{else}}
Nobody reviewed it.
{{/each}}
{{#if violations}}

## Violations

{{#each violations}}
- {{#if task}}{{task}}{{else}}at the end of the run{{/if}}: {{files}} (evidence in {{evidence}}; journal.jsonl:{{line}})
{{/each}}
{{/if}}

{{#if warnings}}

## Warnings

{{#each warnings}}
- {{task}}: {{text}} (journal.jsonl:{{line}})
{{/each}}
{{/if}}

## Status

**{{status}}**: {{reason}}.

\`\`\`text
{{returned}}\`\`\`
`;
