import { loadYaml } from './yaml-library.js';

/** Plain data as YAML that reads back as the same data. */
export async function yamlText(value: unknown): Promise<string> {
  const { stringify } = await loadYaml();
  return stringify(value, { lineWidth: 120, aliasDuplicateObjects: false });
}
