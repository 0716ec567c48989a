import type { Agent } from '../../model/generated/config.js';

/** Who made the model behind an agent; undefined where nobody could tell. */
export function familyOf({ family, backend, model }: Agent): string | undefined {
  if (family !== undefined) return plain(family);
  return derivedFamily({ backend, ...(model === undefined ? {} : { model }) });
}

/** What backend and model say by themselves. */
export const derivedFamily = ({ backend, model }: Pick<Agent, 'backend' | 'model'>): string | undefined =>
  (model === undefined ? undefined : familyOfModel(model)) ?? byBackend[backend];

/** One family has one name, however it is spelt. */
function plain(family: string): string {
  const name = family
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return aliases[name] ?? name;
}

const aliases: { readonly [name: string]: string } = {
  claude: 'anthropic',
  chatgpt: 'openai',
  gpt: 'openai',
  codex: 'openai',
  gemini: 'google',
  deepmind: 'google',
  googledeepmind: 'google',
  llama: 'meta',
  metaai: 'meta',
  facebook: 'meta',
  qwen: 'alibaba',
  grok: 'xai',
  kimi: 'moonshot',
  moonshotai: 'moonshot',
  mistralai: 'mistral',
  deepseekai: 'deepseek',
};

/** CLIs that speak to their maker's models, unless the model says otherwise. */
const byBackend: Partial<Record<Agent['backend'], string>> = { claude: 'anthropic', codex: 'openai', gemini: 'google' };

/** `openai/gpt-5`, `claude-opus-4`, `openrouter/meta-llama/llama-4`: the last part that names a maker or its model. */
function familyOfModel(model: string): string | undefined {
  for (const part of model.toLowerCase().split(/[/:]/).reverse())
    for (const [pattern, family] of byModel) if (pattern.test(part)) return family;
  return undefined;
}

const byModel: readonly (readonly [RegExp, string])[] = [
  [/^anthropic$|^claude|^(?:opus|sonnet|haiku)\b/, 'anthropic'],
  [/^openai$|^gpt\b|^gpt-|^chatgpt|^codex|^o[134](?:$|-)/, 'openai'],
  [/^google$|^gemini|^gemma/, 'google'],
  [/^meta(?:-llama)?$|^llama|^codellama/, 'meta'],
  [/^qwen|^qwq|^alibaba/, 'alibaba'],
  [/^deepseek/, 'deepseek'],
  [/^mistral|^mixtral|^codestral|^devstral|^magistral/, 'mistral'],
  [/^x-ai$|^xai$|^grok/, 'xai'],
  [/^moonshot|^kimi/, 'moonshot'],
  [/^z-ai$|^zai$|^glm|^zhipu/, 'zhipu'],
  [/^microsoft$|^phi-/, 'microsoft'],
  [/^cohere$|^command-/, 'cohere'],
];
