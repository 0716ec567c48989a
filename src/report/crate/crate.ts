import type { Plan } from '../../model/plan.js';
import { runOutcome } from '../record/run-outcome.js';
import { actionsOf } from './actions.js';
import { type CrateContent, type CrateFile, type Entity, idOf, ref, timeOf, workflowFile } from './entity.js';

const profiles = [
  ['https://w3id.org/ro/wfrun/process/0.5', 'Process Run Crate', '0.5'],
  ['https://w3id.org/ro/wfrun/workflow/0.5', 'Workflow Run Crate', '0.5'],
  ['https://w3id.org/ro/wfrun/provenance/0.5', 'Provenance Run Crate', '0.5'],
  ['https://w3id.org/workflowhub/workflow-ro-crate/1.0', 'Workflow RO-Crate', '1.0'],
] as const;

/** `ro-crate-metadata.json` of a run, after the Provenance Run Crate profile: failed attempts are in it like the others. */
export function crateMetadata(content: CrateContent): object {
  const { facts, plan, files, missing } = content;
  const { state } = facts;
  const actions = actionsOf(content);
  const entities: Entity[] = [
    {
      '@id': 'ro-crate-metadata.json',
      '@type': 'CreativeWork',
      about: ref('./'),
      conformsTo: [ref('https://w3id.org/ro/crate/1.1'), ref('https://w3id.org/workflowhub/workflow-ro-crate/1.0')],
    },
    {
      '@id': './',
      '@type': 'Dataset',
      name: `${state.name}, run ${state.run}`,
      description: `A run of the study ${state.name}: ${runOutcome(facts).outcome}. Every attempt is recorded, failed ones too.`,
      datePublished: timeOf(state.finishedAt ?? state.startedAt),
      license: ref(licenseId(content)),
      conformsTo: profiles.map(([id]) => ref(id)),
      mainEntity: ref(workflowFile),
      hasPart: [workflowFile, ...files.map(({ path }) => idOf(path))].map(ref),
      mentions: actions.all.map(({ '@id': id }) => ref(id)),
    },
    ...profiles.map(([id, name, version]) => ({ '@id': id, '@type': 'CreativeWork', name, version })),
    workflowOf(content),
    ...stepsOf(plan),
    ...toolsOf(plan),
    { '@id': '#language', '@type': 'ComputerLanguage', name: 'autoresearch plan', version: '1' },
    { '@id': '#autoresearch', '@type': 'SoftwareApplication', name: 'autoresearch', softwareVersion: content.tool },
    ...actions.all,
    ...files.map((file) => fileEntity(file, file.path === content.license)),
    ...missing.map(goneEntity),
    ...licenseEntities(content),
  ];
  return {
    '@context': ['https://w3id.org/ro/crate/1.1/context', 'https://w3id.org/ro/terms/workflow-run/context'],
    '@graph': entities,
  };
}

function workflowOf({ plan }: CrateContent): Entity {
  return {
    '@id': workflowFile,
    '@type': ['File', 'SoftwareSourceCode', 'ComputationalWorkflow', 'HowTo'],
    name: plan.name,
    encodingFormat: 'application/json',
    version: plan.digest,
    programmingLanguage: ref('#language'),
    hasPart: toolsOf(plan).map(({ '@id': id }) => ref(id)),
    step: plan.tasks.map(({ id }) => ref(stepId(id))),
  };
}

export const stepId = (task: string): string => `#step/${encodeURIComponent(task)}`;
export const toolId = (uses: string): string => `#tool/${encodeURIComponent(uses)}`;

/** A step that needs another one has to stand behind it, and those of one wave need nothing of each other. */
function stepsOf({ tasks, waves }: Plan): readonly Entity[] {
  const waveOf = new Map(waves.flatMap((wave, index) => wave.map((id) => [id, index] as const)));
  return tasks.map(({ id, uses, description }) => ({
    '@id': stepId(id),
    '@type': 'HowToStep',
    name: id,
    description: description.summary,
    position: String(waveOf.get(id) ?? 0),
    workExample: ref(toolId(uses)),
  }));
}

const toolsOf = ({ tasks }: Plan): readonly Entity[] =>
  [...new Map(tasks.map(({ uses, behaviour }) => [uses, behaviour]))].map(([uses, behaviour]) => ({
    '@id': toolId(uses),
    '@type': 'SoftwareApplication',
    name: uses,
    softwareVersion: behaviour,
  }));

const fileEntity = ({ path, digest, size, what }: CrateFile, isLicense: boolean): Entity => ({
  '@id': idOf(path),
  '@type': isLicense ? ['File', 'CreativeWork'] : 'File',
  name: path,
  ...(what === undefined ? {} : { description: what }),
  ...(size === undefined ? {} : { contentSize: String(size) }),
  ...(digest === undefined ? {} : { sha256: digest }),
  ...(formatOf(path) === undefined ? {} : { encodingFormat: formatOf(path)! }),
});

/** It is not in the crate, so it is no data of it; what is known of it stays. */
const goneEntity = ({ path, digest, what }: CrateFile): Entity => ({
  '@id': `#missing/${idOf(path)}`,
  '@type': 'CreativeWork',
  name: path,
  description: what ?? 'not in this crate',
  ...(digest === undefined ? {} : { sha256: digest }),
});

const licenseId = ({ license, files }: CrateContent): string =>
  license === undefined ? '#license' : files.some(({ path }) => path === license) ? idOf(license) : license;

function licenseEntities(content: CrateContent): Entity[] {
  const { license, files } = content;
  if (license === undefined)
    return [
      {
        '@id': '#license',
        '@type': 'CreativeWork',
        name: 'No licence is stated',
        description: 'Ask the authors before you use this.',
      },
    ];
  return files.some(({ path }) => path === license) ? [] : [{ '@id': license, '@type': 'CreativeWork', name: license }];
}

const formats: Readonly<Record<string, string>> = {
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  yaml: 'application/yaml',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  log: 'text/plain',
  py: 'text/x-python',
};

const formatOf = (path: string): string | undefined => formats[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''];
