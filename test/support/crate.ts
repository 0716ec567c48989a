import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Entity = { '@id': string; '@type': string | string[]; [name: string]: unknown };
export interface Ref {
  readonly '@id': string;
}

/** A crate as it lies in its folder; what it says can be changed, to see who notices. */
export class Crate {
  readonly metadata: { '@context': unknown; '@graph': Entity[]; [name: string]: unknown };

  constructor(readonly folder: string) {
    this.metadata = JSON.parse(readFileSync(join(folder, 'ro-crate-metadata.json'), 'utf8'));
  }

  get graph(): Entity[] {
    return this.metadata['@graph'];
  }

  get root(): Entity {
    return this.get('./');
  }

  get workflow(): Entity {
    return this.one(this.root.mainEntity);
  }

  /** Nothing is like something without anything: a rule then says what is missing. */
  get(id: string): Entity {
    return this.graph.find((entity) => entity['@id'] === id) ?? { '@id': '', '@type': '' };
  }

  has(id: string): boolean {
    return this.graph.some((entity) => entity['@id'] === id);
  }

  all(...types: readonly string[]): Entity[] {
    return this.graph.filter((entity) => types.some((type) => is(entity, type)));
  }

  one(value: unknown): Entity {
    return this.get(refs(value)[0]?.['@id'] ?? '');
  }

  many(value: unknown): Entity[] {
    return refs(value).map((ref) => this.get(ref['@id']));
  }

  isThere(id: string): boolean {
    return existsSync(join(this.folder, decodeURIComponent(id)));
  }
}

export const is = (entity: Entity | undefined, type: string): boolean => [entity?.['@type']].flat().includes(type);

export const refs = (value: unknown): Ref[] =>
  value === undefined ? [] : ([value].flat() as unknown[]).filter((one): one is Ref => isRef(one));

export const isRef = (value: unknown): value is Ref => typeof value === 'object' && value !== null && '@id' in value;
