/** AR32x: which agents a stage may have. `catalogue` holds these among the others. */
export const agentCatalogue = {
  AR320: {
    title: 'The author would judge its own work',
    cause:
      "A judge or reviewer is of the same model family as an agent that makes or mends the work it judges. Models are kind to their own family's mistakes.",
    fix: 'Let an agent of another family judge. Where the family is derived wrongly, state `family` on the agents.',
  },
  AR321: {
    title: 'A model family that cannot be told',
    cause:
      'Whether a judge or reviewer is of another family than the author can only be checked when both families are known.',
    fix: 'State `family` on the agent: who made its model, such as `anthropic`, `openai`, `google` or `meta`.',
  },
  AR322: {
    title: 'A stage without the agent that it needs',
    cause: 'The behaviour of the stage asks an agent, and the stage names none.',
    fix: 'Add `agent: NAME` to the stage, with a name from `agents`.',
  },
  AR323: {
    title: 'An agent that the stage never asks',
    cause: 'The stage names an `agent`, but its behaviour does not ask any.',
    fix: 'Take `agent` out, or use a behaviour that asks one, such as `agent`.',
  },
  AR324: {
    title: 'Helpers that nobody could count',
    cause:
      'The stage allows helpers, but the backend of its agent has none that can be counted and kept from running the tests.',
    fix: 'Take `helpers` out, or use an agent of the backend `claude` or `api`, or a `command` that says in its reply how many it started.',
  },
  AR325: {
    title: 'No agent is installed',
    cause:
      'The backend `auto` takes the first coding CLI on the `PATH`, else the endpoint in `baseUrl`. There is neither.',
    fix: 'Install claude, codex, gemini or opencode, or give the agent `baseUrl` and `model`.',
  },
  AR326: {
    title: 'The program of an agent is not there',
    cause:
      'The program of an agent is not on the `PATH`, or not where the config says, so its first question would fail. Of the `run` of a `command` the first word is looked for, unless a stage makes it or runs elsewhere.',
    fix: 'Install it, name its place with `path` or `run`, or mark the agent as `optional`.',
  },
  AR327: {
    title: 'Options that do not go together',
    cause: 'The behaviour of the stage says that its options make no sense as they are.',
    fix: 'Change what the message names. `autoresearch stages show NAME` prints what the behaviour takes.',
  },
  AR328: {
    title: 'A prompt that cannot be made',
    cause: 'The template of a stage is not valid, or uses a name that nothing gives.',
    fix: 'Correct the template. `autoresearch render STAGE` prints the prompt without sending it.',
  },
  AR329: {
    title: 'No sandbox here',
    cause: '`sandbox: bwrap` asks for bubblewrap, which is not installed or does not work on this machine.',
    fix: 'Install bubblewrap, or write `sandbox: auto` to go on without where there is none.',
  },
} as const;
