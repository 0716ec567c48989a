import type { AgentFinding, ClisFinding, ConfigFinding, RepositoryFinding } from '../../model/finding.js';
import { listed, plural, shellWord, shownPath } from '../words/phrase.js';
import type { FindingWords, TellOptions } from './finding-words.js';

export function repositoryWords(finding: RepositoryFinding): FindingWords {
  const { kind, root, branch, hasCommit, isShallow, detail = '', neededBy } = finding;
  const label = 'repository';
  const needed =
    neededBy.length === 0 ? '' : `, and ${listed(neededBy)} ${neededBy.length === 1 ? 'works' : 'work'} in worktrees`;
  if (kind === 'none') return { label, what: `${root} is in none${needed}`, fix: 'git init' };
  if (kind === 'bare')
    return { label, what: `bare: it has no files to work on${needed}`, fix: `git clone ${shellWord(root)}` };
  if (kind === 'broken') {
    const isForeign = /dubious ownership/.test(detail);
    return {
      label,
      what: `git cannot read it: ${detail}`,
      fix: isForeign ? `git config --global --add safe.directory ${shellWord(root)}` : 'git status',
    };
  }
  const at = branch === undefined ? 'no branch is checked out' : `on ${branch}`;
  if (!hasCommit) return { label, what: `without a commit${needed}`, fix: 'git add . && git commit -m "first"' };
  if (isShallow) return { label, what: `${at}, but shallow: its history is cut off`, fix: 'git fetch --unshallow' };
  return { label, what: at };
}

export function configWords(
  { kind, file, problems, stages, tasks }: ConfigFinding,
  options: TellOptions,
): FindingWords {
  const label = 'config';
  const name = file === undefined ? 'it' : shownPath(file, options.cwd);
  const fix = `autoresearch plan${options.again}`;
  if (kind === 'none') return { label, what: 'none here or above', fix: 'autoresearch init' };
  if (kind === 'invalid') return { label, what: `${name} has ${plural(problems, 'problem')}`, fix };
  const size = `${plural(stages ?? 0, 'stage')}, ${plural(tasks ?? 0, 'task')}`;
  if (kind === 'fine') return { label, what: `${name}: ${size}` };
  return { label, what: `${name}: ${size}, but exec would refuse it for ${plural(problems, 'reason')}`, fix };
}

export function agentWords(finding: AgentFinding): FindingWords {
  const { names, backend, isThere, program, version, login, from } = finding;
  const label = names.length === 1 ? 'agent' : 'agents';
  const who = listed(names, 5);
  if (!isThere) {
    const fix = from === undefined ? `ls -l ${shellWord(program ?? '')}` : `npm install -g ${from}`;
    return { label, what: `${who}: ${program ?? backend} is not there`, fix };
  }
  const what = [backend, version, program === undefined ? undefined : `(${program})`].filter(
    (part) => part !== undefined,
  );
  const logged = {
    seen: ', a login is there',
    'not-seen': ', but nothing says that somebody is logged in',
    unknown: '',
    'not-needed': '',
  }[login];
  return {
    label,
    what: `${who}: ${what.join(' ')}${logged}`,
    ...(logins[backend] === undefined ? {} : { fix: logins[backend] }),
  };
}

/** Of a machine without a study. */
export function clisWords({ found }: ClisFinding): FindingWords {
  const label = 'agents';
  const [first] = found;
  if (!first)
    return {
      label,
      what: 'no coding CLI is here; a study with agents needs one: npm install -g @anthropic-ai/claude-code',
    };
  const words = found.map(({ name, version, login }) => {
    const logged = login === 'seen' ? ' with a login' : login === 'not-seen' ? ' without a login' : '';
    return `${name}${version === undefined ? '' : ` ${version}`}${logged}`;
  });
  return { label, what: listed(words, 5), ...(logins[first.name] === undefined ? {} : { fix: logins[first.name] }) };
}

const logins: { readonly [backend: string]: string } = {
  claude: 'claude /login',
  codex: 'codex login',
  gemini: 'gemini',
  opencode: 'opencode auth login',
};
