import { defineStage } from 'autoresearch';

export default defineStage({
  name: 'command',
  summary: 'Runs a command: text through the shell, a list of words without one',
  version: '1',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['run'],
    properties: {
      run: {
        description:
          'Text goes through `sh -c`, to which only the last of `a | b` counts; a list is a program and its arguments, with no shell between: `[bash, -o, pipefail, -c, "a | b"]` fails when a does.',
        anyOf: [
          { type: 'string', format: 'shell', pattern: '\\S' },
          { type: 'array', minItems: 1, items: { type: 'string' } },
        ],
      },
    },
  },
  describe({ run }) {
    const command = typeof run === 'string' ? run.trim() : run.map(asTyped).join(' ');
    return { summary: oneLine(command), commands: [command] };
  },
  submits: ({ run }) => ({ run }),
  records: () => [],
  run: ({ run }, context) => context.command(run),
});

/** A word as a person would type it in a shell. */
const asTyped = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function oneLine(command: string): string {
  if (!command.includes('\n')) return command;
  const lines = command.split('\n');
  return `${lines[0]} … (+${lines.length - 1} ${lines.length === 2 ? 'line' : 'lines'})`;
}
