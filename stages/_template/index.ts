// A behaviour to copy. It imports nothing but the public door, and it is only these six fields.
import { defineStage } from 'autoresearch';

export default defineStage({
  name: 'template',
  summary: 'Writes a checked note to a file (an example to copy)',

  // Raise it when the same options lead to another result: finished tasks then become stale.
  version: '1',

  // JSON Schema of the stage's `with`. The type of `options` below follows from it.
  // Text for a shell has `format: 'shell'`: templates then quote the values they put into it. Text for `context.evaluate` has
  // `format: 'expression'`: variables that it names count as used.
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['note', 'to'],
    properties: {
      note: { type: 'string', minLength: 1, description: 'What to write.' },
      to: { type: 'string', minLength: 1, description: 'The file to write.' },
      check: { type: 'string', format: 'shell', pattern: '\\S', description: 'A command that must pass first.' },
    },
  },

  // Says as data what `run` would do. It is called for every `plan`, so it may not look at a file, a clock or a variable:
  // the same options always give the same answer. `reads` count as inputs; `writes` are kept off protected paths.
  describe: ({ to, check }) => ({
    summary: `write a note to ${to}`,
    commands: check === undefined ? [] : [check],
    writes: [to],
  }),

  // Does it. Every effect goes through the context, where it is logged, ended on timeout and faked in tests. Do not retry,
  // ask, print or time yourself out: the runner does that for all behaviours. Whatever went wrong is returned as it is.
  async run({ note, to, check }, context) {
    if (check !== undefined) {
      const end = await context.command(check);
      if (!end.ok) return end;
    }
    if (note.trim() === '') return { ok: false, failure: { code: 'behaviour-failed', detail: 'the note is blank' } };
    await context.writeFile(to, `${note}\n`);
    context.log(`wrote ${to}`);
    return { ok: true, summary: `${note.length} characters in ${to}` };
  },
});
