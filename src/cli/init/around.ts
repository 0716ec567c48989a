/** What a study needs around its config: lines for git, for agents, and a check for every push. */

/** Lines of `.gitignore`; results of the example are made anew by anyone who wants them. */
export const ignoredLines = (hasExample: boolean): readonly string[] => [
  'node_modules/',
  '.autoresearch/',
  'logs/',
  ...(hasExample ? ['results/'] : []),
];

export const agentsHeading = '## Research runs (autoresearch)';

/** What an agent that works in this folder has to know. */
export const agentsSection = (config: string): string => `${agentsHeading}

- The study is declared in \`${config}\`. After each change of it run \`npx autoresearch plan\`: it says what would happen and why, and changes nothing.
- Results are made by \`npx autoresearch exec\`, never by hand. \`npx autoresearch status\` says how the newest run stands, \`npx autoresearch why TASK\` why a task would run.
- Never change anything in \`.autoresearch/\` (journals, ledger, logs), or what the config lists under \`protect\`: it is put back, and the run ends with exit code 4.
- Never answer a gate (\`approve\`, \`revise\`, \`reject\`): that is for people.
- Before you say that something is done, run \`npx autoresearch verify\`. What a code such as AR201 means: \`npx autoresearch explain AR201\`.
`;

export interface WorkflowInput {
  /** The folder of the study as seen from the repository; empty when it is the same. */
  readonly folder: string;
  /** The study can run anywhere, at once. */
  readonly canRun: boolean;
}

/** A GitHub Actions workflow. `npx --no` never takes a package of that name from elsewhere. */
export const workflow = ({
  folder,
  canRun,
}: WorkflowInput): string => `# Made by \`autoresearch init\`; yours to change.
name: autoresearch
on: [push, pull_request]
permissions: { contents: read }
jobs:
  study:
    runs-on: ubuntu-latest
${folder === '' ? '' : `    defaults: { run: { working-directory: ${JSON.stringify(folder)} } }\n`}    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 22 }
      # package.json has to name autoresearch as something that can be installed here, not as a folder of your machine.
      - run: npm ci
      - name: Plan
        run: npx --no -- autoresearch plan
${canRun ? runSteps : verifyStep(folder)}`;

const runSteps = `      - name: Run
        run: npx --no -- autoresearch exec
      - name: Verify
        run: npx --no -- autoresearch verify
`;

/** Left out, and shown as such, while there is no run: a check of nothing must not be green. */
const verifyStep = (
  folder: string,
): string => `      # Runs are made where the models and machines are. Bring \`.autoresearch\` here (actions/download-artifact, say), and it is checked.
      - name: Verify
        if: \${{ hashFiles('${folder === '' ? '' : `${folder}/`}.autoresearch/**/journal.jsonl') != '' }}
        run: npx --no -- autoresearch verify
`;
