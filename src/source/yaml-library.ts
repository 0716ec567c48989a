/** The door of the `yaml` package, which is only read when a YAML file is. */
export type { Alias, Document as YamlDocument, Node, Pair, Scalar, YAMLMap } from 'yaml';

export type Yaml = typeof import('yaml');

export const loadYaml = (): Promise<Yaml> => import('yaml');
