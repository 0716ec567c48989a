/** How a person gets a coding CLI that is not there: its npm package, by the name of the program. */
export const cliPackages: { readonly [program: string]: string } = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
  opencode: 'opencode-ai',
};
