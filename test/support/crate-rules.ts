import { type Crate, type Entity, is, isRef, refs } from './crate.js';

/** A rule of a profile in our words, with who breaks it, and a way to break it. */
export interface CrateRule {
  readonly profile: string;
  /** The section of the profile's page, or the type in its table of requirements. */
  readonly section: string;
  readonly level: 'MUST' | 'SHOULD';
  readonly rule: string;
  /** The ids of those that break it. */
  broken(crate: Crate): readonly string[];
  /** Breaks it, and as little else as can be. */
  spoil(crate: Crate): void;
}

const crate11 = 'https://w3id.org/ro/crate/1.1';
const workflowCrate = 'https://w3id.org/workflowhub/workflow-ro-crate/1.0';
const processRun = 'https://w3id.org/ro/wfrun/process/0.5';
const workflowRun = 'https://w3id.org/ro/wfrun/workflow/0.5';
const provenanceRun = 'https://w3id.org/ro/wfrun/provenance/0.5';

const actions = ['CreateAction', 'ActivateAction', 'UpdateAction'];
const tools = ['SoftwareApplication', 'SoftwareSourceCode', 'ComputationalWorkflow'];
const whoever = (entities: readonly Entity[], holds: (entity: Entity) => unknown): string[] =>
  entities.filter((entity) => !holds(entity)).map((entity) => entity['@id'] || 'none');
const unless = (holds: unknown, who: string): string[] => (holds ? [] : [who]);
const without = (entity: Entity, name: string): void => void delete entity[name];
const isTime = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{3})?[+-]\d\d:\d\d)?$/.test(value);
const conforms = (crate: Crate, profile: string): boolean =>
  refs(crate.root.conformsTo).some(({ '@id': id }) => id === profile) && is(crate.get(profile), 'CreativeWork');
const dropProfile = (crate: Crate, profile: string): void => {
  crate.root.conformsTo = refs(crate.root.conformsTo).filter(({ '@id': id }) => id !== profile);
};
const isLast = (value: unknown, end: string): boolean => typeof value === 'string' && value.endsWith(end);
const statuses = ['http://schema.org/CompletedActionStatus', 'http://schema.org/FailedActionStatus'];

/** Everything that the profiles ask of what such a crate holds. What is asked of parameters, containers and collections has nothing here to be asked of. */
export const crateRules: readonly CrateRule[] = [
  {
    ...{ profile: crate11, section: 'RO-Crate Structure', level: 'MUST' },
    rule: 'the metadata is flattened: a graph whose entities refer to each other by id, each id once',
    broken: ({ metadata, graph }) => [
      ...Object.keys(metadata).filter((key) => key !== '@context' && key !== '@graph'),
      ...graph.map((entity) => entity['@id']).filter((id, index, all) => all.indexOf(id) !== index),
      ...graph.flatMap((entity) =>
        Object.values(entity)
          .flat()
          .filter((one) => typeof one === 'object' && !(isRef(one) && Object.keys(one).length === 1))
          .map(() => entity['@id']),
      ),
    ],
    spoil: ({ root }) => {
      root.license = { '@id': '#x', name: 'nested' };
    },
  },
  {
    ...{ profile: crate11, section: 'RO-Crate JSON-LD', level: 'SHOULD' },
    rule: 'the context of the specification is used by its address',
    broken: ({ metadata }) => unless([metadata['@context']].flat().includes(`${crate11}/context`), '@context'),
    spoil: ({ metadata }) => {
      metadata['@context'] = 'https://schema.org';
    },
  },
  {
    ...{ profile: crate11, section: 'Metadata File Descriptor', level: 'MUST' },
    rule: 'ro-crate-metadata.json is a CreativeWork about the root, and names the version of the specification',
    broken: (crate) => {
      const own = crate.get('ro-crate-metadata.json');
      const names = refs(own.conformsTo).some(({ '@id': id }) => id === crate11);
      return unless(is(own, 'CreativeWork') && crate.one(own.about) === crate.root && names, 'ro-crate-metadata.json');
    },
    spoil: (crate) => without(crate.get('ro-crate-metadata.json'), 'about'),
  },
  {
    ...{ profile: crate11, section: 'Root Data Entity', level: 'MUST' },
    rule: 'the root is a Dataset whose id ends with a slash',
    broken: (crate) => unless(is(crate.root, 'Dataset'), './'),
    spoil: ({ root }) => {
      root['@type'] = 'CreativeWork';
    },
  },
  ...['name', 'description', 'license'].map(
    (key): CrateRule => ({
      ...{ profile: crate11, section: 'Direct properties of the Root Data Entity', level: 'MUST' },
      rule: `the root has a ${key}`,
      broken: ({ root }) => unless(root[key], './'),
      spoil: ({ root }) => without(root, key),
    }),
  ),
  {
    ...{ profile: crate11, section: 'Direct properties of the Root Data Entity', level: 'MUST' },
    rule: 'the root says when it was published, as one ISO 8601 date to the day or closer',
    broken: ({ root }) => unless(isTime(root.datePublished), './'),
    spoil: ({ root }) => {
      root.datePublished = 'last Tuesday';
    },
  },
  {
    ...{ profile: crate11, section: 'Direct properties of the Root Data Entity', level: 'SHOULD' },
    rule: 'the licence is a CreativeWork that the crate describes, or an address',
    broken: (crate) => unless(is(crate.one(crate.root.license), 'CreativeWork'), './'),
    spoil: ({ root }) => {
      root.license = { '@id': '#nowhere' };
    },
  },
  {
    ...{ profile: crate11, section: 'Core Metadata for Data Entities', level: 'MUST' },
    rule: 'a File is linked to the root by hasPart, and its id is the address of something in the crate',
    broken: (crate) => {
      const parts = new Set(refs(crate.root.hasPart).map(({ '@id': id }) => id));
      return whoever(crate.all('File'), ({ '@id': id }) => parts.has(id) && crate.isThere(id));
    },
    spoil: ({ root }) => {
      root.hasPart = refs(root.hasPart).slice(1);
    },
  },
  {
    ...{ profile: crate11, section: 'Data Entities', level: 'MUST' },
    rule: 'what the root has as a part is a File or a Dataset',
    broken: (crate) => whoever(crate.many(crate.root.hasPart), (part) => is(part, 'File') || is(part, 'Dataset')),
    spoil: ({ root }) => {
      root.hasPart = [...refs(root.hasPart), { '@id': '#autoresearch' }];
    },
  },
  {
    ...{ profile: crate11, section: 'Contextual Entities', level: 'SHOULD' },
    rule: 'what is referred to inside the crate is described in it',
    broken: (crate) =>
      crate.graph.flatMap((entity) =>
        Object.values(entity)
          .flatMap(refs)
          .map(({ '@id': id }) => id)
          .filter((id) => !/^https?:/.test(id) && !crate.has(id)),
      ),
    spoil: ({ workflow }) => {
      workflow.programmingLanguage = { '@id': '#unknown' };
    },
  },
  {
    ...{ profile: workflowCrate, section: 'Main Workflow', level: 'MUST' },
    rule: 'the main entity is a File, SoftwareSourceCode and ComputationalWorkflow of the crate',
    broken: ({ workflow }) =>
      ['File', 'SoftwareSourceCode', 'ComputationalWorkflow'].filter((type) => !is(workflow, type)),
    spoil: ({ root }) => without(root, 'mainEntity'),
  },
  {
    ...{ profile: workflowCrate, section: 'Main Workflow', level: 'MUST' },
    rule: 'the main workflow names its language, a ComputerLanguage',
    broken: (crate) => unless(is(crate.one(crate.workflow.programmingLanguage), 'ComputerLanguage'), 'workflow'),
    spoil: ({ workflow }) => {
      workflow.programmingLanguage = { '@id': '#autoresearch' };
    },
  },
  {
    ...{ profile: workflowCrate, section: 'Metadata File Descriptor', level: 'SHOULD' },
    rule: 'the descriptor conforms to the specification and to this profile',
    broken: (crate) => {
      const own = refs(crate.get('ro-crate-metadata.json').conformsTo).map(({ '@id': id }) => id);
      return [crate11, workflowCrate].filter((profile) => !own.includes(profile));
    },
    spoil: (crate) => {
      crate.get('ro-crate-metadata.json').conformsTo = { '@id': crate11 };
    },
  },
  ...[
    [processRun, 'MUST'] as const,
    [workflowRun, 'MUST'] as const,
    [provenanceRun, 'MUST'] as const,
    [workflowCrate, 'SHOULD'] as const,
  ].map(
    ([profile, level]): CrateRule => ({
      ...{ profile, section: 'Dataset: conformsTo', level },
      rule: 'the root conforms to the version of this profile, which is described as a CreativeWork',
      broken: (crate) => unless(conforms(crate, profile), './'),
      spoil: (crate) => dropProfile(crate, profile),
    }),
  ),
  {
    ...{ profile: processRun, section: 'SoftwareApplication: @type, @id', level: 'MUST' },
    rule: 'whatever was executed is described with an id and as software',
    broken: (crate) =>
      whoever(crate.all(...actions), ({ instrument }) => tools.some((type) => is(crate.one(instrument), type))),
    spoil: (crate) => {
      crate.one(crate.all('CreateAction')[1]!.instrument)['@type'] = 'Thing';
    },
  },
  {
    ...{ profile: processRun, section: 'SoftwareApplication: name', level: 'SHOULD' },
    rule: 'software has a name',
    broken: (crate) => whoever(crate.all(...tools), ({ name }) => name),
    spoil: (crate) => without(crate.get('#autoresearch'), 'name'),
  },
  {
    ...{ profile: processRun, section: 'SoftwareApplication: version', level: 'SHOULD' },
    rule: 'software has a version or a softwareVersion, and not both',
    broken: (crate) =>
      whoever(crate.all(...tools), (one) => (one.version === undefined) !== (one.softwareVersion === undefined)),
    spoil: (crate) => {
      crate.get('#autoresearch').version = '1';
    },
  },
  {
    ...{ profile: processRun, section: 'CreateAction: instrument', level: 'MUST' },
    rule: 'an action names what was executed',
    broken: (crate) => whoever(crate.all(...actions), ({ instrument }) => crate.one(instrument)['@id']),
    spoil: (crate) => without(crate.all('CreateAction')[0]!, 'instrument'),
  },
  {
    ...{ profile: processRun, section: 'CreateAction: @id', level: 'SHOULD' },
    rule: 'an action is among what the root mentions',
    broken: (crate) => {
      const mentioned = new Set(refs(crate.root.mentions).map(({ '@id': id }) => id));
      return whoever(crate.all(...actions), ({ '@id': id }) => mentioned.has(id));
    },
    spoil: ({ root }) => {
      root.mentions = refs(root.mentions).slice(1);
    },
  },
  ...['name', 'description'].map(
    (key): CrateRule => ({
      ...{ profile: processRun, section: `CreateAction: ${key}`, level: 'SHOULD' },
      rule: `an action has a ${key}`,
      broken: (crate) => whoever(crate.all(...actions), (action) => action[key]),
      spoil: (crate) => without(crate.all('CreateAction')[0]!, key),
    }),
  ),
  {
    ...{ profile: processRun, section: 'CreateAction: startTime, endTime', level: 'SHOULD' },
    rule: 'times are dates with a time and an offset after ISO 8601; whoever began and ended says when it ended',
    broken: (crate) =>
      whoever(
        crate.all(...actions, 'OrganizeAction'),
        ({ startTime, endTime, actionStatus }) =>
          (startTime === undefined || isTime(startTime)) &&
          (isTime(endTime) ||
            (endTime === undefined && (startTime === undefined || isLast(actionStatus, 'FailedActionStatus')))),
      ),
    spoil: (crate) => {
      crate.all('CreateAction')[0]!.endTime = 'yesterday';
    },
  },
  {
    ...{ profile: processRun, section: 'CreateAction: result', level: 'SHOULD' },
    rule: 'an action has what it made; one that failed may have made nothing, and so may one that only checks',
    broken: (crate) =>
      whoever(crate.all(...actions), ({ result, object }) => Array.isArray(result) && Array.isArray(object)),
    spoil: (crate) => without(crate.all('CreateAction')[0]!, 'result'),
  },
  {
    ...{ profile: processRun, section: 'CreateAction: actionStatus', level: 'SHOULD' },
    rule: 'a status is completed or failed',
    broken: (crate) => whoever(crate.all(...actions), ({ actionStatus }) => statuses.includes(String(actionStatus))),
    spoil: (crate) => {
      crate.all('CreateAction')[0]!.actionStatus = 'fine';
    },
  },
  {
    ...{ profile: processRun, section: 'CreateAction: error', level: 'SHOULD' },
    rule: 'only what failed has an error',
    broken: (crate) =>
      whoever(
        crate.all(...actions, 'ControlAction', 'OrganizeAction'),
        ({ error, actionStatus }) => error === undefined || isLast(actionStatus, 'FailedActionStatus'),
      ),
    spoil: (crate) => {
      const done = crate.all('CreateAction').find(({ actionStatus }) => isLast(actionStatus, 'CompletedActionStatus'))!;
      done.error = 'none really';
    },
  },
  {
    ...{ profile: processRun, section: 'Requirements, below the table', level: 'SHOULD' },
    rule: 'what an action used and made are files, folders, collections, works or values',
    broken: (crate) => {
      const kinds = ['File', 'Dataset', 'Collection', 'CreativeWork', 'PropertyValue'];
      const used = crate
        .all(...actions)
        .flatMap(({ object, result }) => [...crate.many(object), ...crate.many(result)]);
      return whoever(used, (one) => kinds.some((kind) => is(one, kind)));
    },
    spoil: (crate) => {
      crate.all('CreateAction')[0]!.object = [{ '@id': '#autoresearch' }];
    },
  },
  {
    ...{ profile: workflowRun, section: 'Overview', level: 'MUST' },
    rule: 'the execution of the main workflow is an action with it as instrument',
    broken: (crate) =>
      unless(
        crate.all(...actions).some(({ instrument }) => crate.one(instrument) === crate.workflow),
        'workflow',
      ),
    spoil: (crate) => {
      crate.all('CreateAction')[0]!.instrument = { '@id': '#autoresearch' };
    },
  },
  {
    ...{ profile: provenanceRun, section: 'ComputationalWorkflow: @type', level: 'MUST' },
    rule: 'a workflow with steps is a HowTo too',
    broken: (crate) => whoever(crate.all('ComputationalWorkflow'), (one) => one.step === undefined || is(one, 'HowTo')),
    spoil: ({ workflow }) => {
      workflow['@type'] = ['File', 'SoftwareSourceCode', 'ComputationalWorkflow'];
    },
  },
  {
    ...{ profile: provenanceRun, section: 'ComputationalWorkflow: hasPart', level: 'MUST' },
    rule: 'a workflow has the tools that it orchestrates',
    broken: (crate) => {
      const parts = crate.many(crate.workflow.hasPart);
      const used = crate.all('HowToStep').map(({ workExample }) => crate.one(workExample));
      return [
        ...unless(parts.length > 0, 'workflow'),
        ...whoever(parts, (part) => tools.some((type) => is(part, type))),
        ...whoever(used, (tool) => parts.includes(tool)),
      ];
    },
    spoil: ({ workflow }) => without(workflow, 'hasPart'),
  },
  {
    ...{ profile: provenanceRun, section: 'ComputationalWorkflow: step', level: 'SHOULD' },
    rule: 'a workflow has its steps, and each step is one of a workflow',
    broken: (crate) => {
      const steps = crate.many(crate.workflow.step);
      return [
        ...unless(steps.length > 0, 'workflow'),
        ...whoever(crate.all('HowToStep'), (one) => steps.includes(one)),
      ];
    },
    spoil: ({ workflow }) => {
      workflow.step = refs(workflow.step).slice(1);
    },
  },
  {
    ...{ profile: provenanceRun, section: 'HowToStep: workExample', level: 'MUST' },
    rule: 'a step has the tool that carries it out',
    broken: (crate) =>
      whoever(crate.all('HowToStep'), ({ workExample }) => tools.some((type) => is(crate.one(workExample), type))),
    spoil: (crate) => without(crate.all('HowToStep')[0]!, 'workExample'),
  },
  {
    ...{ profile: provenanceRun, section: 'HowToStep: position', level: 'MUST' },
    rule: 'a position is a whole number, and a step that needs what another makes stands behind it',
    broken: (crate) => {
      const place = new Map(crate.all('HowToStep').map((step) => [step['@id'], Number(step.position)]));
      const made = new Map<string, string>();
      const uses: (readonly [step: string, file: string])[] = [];
      for (const { instrument, object } of crate.all('ControlAction'))
        for (const execution of crate.many(object)) {
          const step = crate.one(instrument)['@id'];
          for (const { '@id': id } of refs(execution.result)) made.set(id, step);
          for (const { '@id': id } of refs(execution.object)) uses.push([step, id]);
        }
      const early = uses.filter(([step, file]) => made.has(file) && !(place.get(made.get(file)!)! < place.get(step)!));
      return [
        ...[...place].filter(([, at]) => !Number.isInteger(at)).map(([id]) => id),
        ...early.map(([step]) => step),
      ];
    },
    spoil: (crate) => {
      for (const step of crate.all('HowToStep')) step.position = '0';
    },
  },
  {
    ...{ profile: provenanceRun, section: 'ControlAction: instrument', level: 'MUST' },
    rule: 'the control of a step names the step',
    broken: (crate) => whoever(crate.all('ControlAction'), ({ instrument }) => is(crate.one(instrument), 'HowToStep')),
    spoil: (crate) => {
      crate.all('ControlAction')[0]!.instrument = { '@id': '#autoresearch' };
    },
  },
  {
    ...{ profile: provenanceRun, section: 'ControlAction: object', level: 'MUST' },
    rule: 'the control of a step names the executions, each of the tool of that step',
    broken: (crate) =>
      whoever(crate.all('ControlAction'), ({ object, instrument }) => {
        const tool = crate.one(crate.one(instrument).workExample);
        const runs = crate.many(object);
        return runs.length > 0 && runs.every((run) => is(run, 'CreateAction') && crate.one(run.instrument) === tool);
      }),
    spoil: (crate) => without(crate.all('ControlAction')[0]!, 'object'),
  },
  {
    ...{ profile: provenanceRun, section: 'OrganizeAction: instrument', level: 'MUST' },
    rule: 'the engine is named',
    broken: (crate) => whoever(crate.all('OrganizeAction'), ({ instrument }) => crate.one(instrument)['@id']),
    spoil: (crate) => without(crate.all('OrganizeAction')[0]!, 'instrument'),
  },
  {
    ...{ profile: provenanceRun, section: 'OrganizeAction: object', level: 'MUST' },
    rule: 'the engine names the controls of all steps',
    broken: (crate) =>
      whoever(crate.all('OrganizeAction'), ({ object }) => {
        const named = crate.many(object);
        return named.length > 0 && crate.all('ControlAction').every((one) => named.includes(one));
      }),
    spoil: (crate) => {
      crate.all('OrganizeAction')[0]!.object = [];
    },
  },
  {
    ...{ profile: provenanceRun, section: 'OrganizeAction: result', level: 'MUST' },
    rule: 'what the engine did is the execution of the workflow',
    broken: (crate) =>
      whoever(crate.all('OrganizeAction'), ({ result }) => crate.one(crate.one(result).instrument) === crate.workflow),
    spoil: (crate) => {
      crate.all('OrganizeAction')[0]!.result = { '@id': '#autoresearch' };
    },
  },
];

/** `MUST https://…: a step has its tool: #step/a`. */
export const brokenRules = (crate: Crate): string[] =>
  crateRules.flatMap(({ level, profile, section, rule, broken }) =>
    broken(crate).map((who) => `${level} ${profile} (${section}): ${rule}: ${who}`),
  );
