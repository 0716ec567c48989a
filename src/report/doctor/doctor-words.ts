import type { Finding } from '../../model/finding.js';
import { holderWords } from '../../model/lock-holder.js';
import { countedPlaces } from '../clean/clean-text.js';
import { outcomeNames } from '../history/outcome-text.js';
import { capText } from '../plan/cap-text.js';
import { bytesText } from '../words/bytes-text.js';
import { listed, plural, shellWord, shownPath } from '../words/phrase.js';
import { setOptions } from '../words/set-options.js';
import { agentWords, clisWords, configWords, repositoryWords } from './doctor-project-words.js';
import type { FindingWords, TellOptions } from './finding-words.js';

export function findingWords(finding: Finding, options: TellOptions): FindingWords {
  const words = wordsOf[finding.check] as (finding: Finding, options: TellOptions) => FindingWords;
  return words(finding, options);
}

type WordsOf = {
  readonly [Check in Finding['check']]: (
    finding: Extract<Finding, { readonly check: Check }>,
    options: TellOptions,
  ) => FindingWords;
};

/** Total on purpose. */
const wordsOf: WordsOf = {
  node: ({ version, wanted, standing }) => ({
    label: 'Node',
    what: standing === 'fine' ? version : `${version}, but ${wanted} or newer is needed`,
    fix: 'nvm install 22',
  }),
  git: ({ version, wanted, standing }) => {
    const label = 'git';
    if (version === undefined) return { label, what: 'cannot be started', fix: 'apt-get install git' };
    if (standing === 'fine') return { label, what: version };
    return { label, what: `${version}, but worktrees need ${wanted} or newer`, fix: 'apt-get install git' };
  },
  sandbox: ({ level, wanted, why = '' }) => ({
    label: 'sandbox',
    what: sandboxText(level, wanted, why),
    fix: /not installed/.test(why) ? 'apt-get install bubblewrap' : 'bwrap --ro-bind / / --unshare-all true',
  }),
  program: ({ name, version, neededBy }) => ({
    label: name,
    what: version ?? `is not there, and ${listed(neededBy)} ${neededBy.length === 1 ? 'needs' : 'need'} it`,
    fix: `apt-get install ${name}`,
  }),
  repository: repositoryWords,
  identity: ({ missing }) => ({
    label: 'commits',
    what:
      missing.length === 0
        ? 'git knows who you are'
        : `${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} not set, so commits bear the name autoresearch`,
    fix: missing
      .map((key) => `git config ${key} ${key === 'user.name' ? '"Your Name"' : 'you@example.org'}`)
      .join(' && '),
  }),
  ignored: () => ({
    label: '.gitignore',
    what: 'git does not ignore .autoresearch, so runs could be committed',
    fix: 'echo .autoresearch/ >> .gitignore',
  }),
  config: configWords,
  agent: agentWords,
  clis: clisWords,
  schedulers: ({ found }) => ({
    label: 'schedulers',
    what: found.length === 0 ? 'none, so jobs run on this machine' : `${listed(found)}, and this machine`,
  }),
  variables: ({ names, missing }) => ({
    label: 'variables',
    what:
      missing.length === 0
        ? `${listed(names, 5)} ${names.length === 1 ? 'is' : 'are'} set`
        : `${listed(missing, 5)} ${missing.length === 1 ? 'is' : 'are'} to be passed on, but not set`,
    fix: `export ${missing.map((name) => `${name}=…`).join(' ')}`,
  }),
  prices: ({ unpriced }) => ({
    label: 'prices',
    what: `nobody says what ${listed(unpriced)} ${unpriced.length === 1 ? 'costs' : 'cost'}: give prices or limits.usd`,
    fix: 'autoresearch explain AR310',
  }),
  caps: ({ loose }) => ({
    label: 'caps',
    what: capText(loose),
    fix: 'autoresearch explain AR310',
  }),
  cluster: ({ name, type, missing, problem }) => ({
    label: 'cluster',
    what:
      missing.length > 0
        ? `${name}: ${listed(missing, 5)} of ${type} is not there`
        : `${name}: ${type}${problem === undefined ? '' : ` does not answer: ${problem}`}`,
    fix: missing.length > 0 ? `command -v ${missing.join(' ')}` : 'scontrol ping',
  }),
  state: ({ dir, isThere, isWritable, filesystem }, { cwd }) => {
    const label = 'state';
    const shown = shownPath(dir, cwd);
    if (!isWritable) return { label, what: `${shown} cannot be written`, fix: `chmod -R u+rwX ${shellWord(shown)}` };
    const lasting = /^(tmp|ram)fs$/.test(filesystem) ? ': gone when the machine restarts' : '';
    return {
      label,
      what: `${shown}${isThere ? '' : ' (not yet made)'}, on ${filesystem}${lasting}`,
      fix: 'cp -a . FOLDER-ON-A-DISK',
    };
  },
  disk: ({ freeBytes, freeFiles }, { again }) => ({
    label: 'disk',
    what: `${bytesText(freeBytes)} free${freeFiles !== undefined && freeFiles < 1000 ? `, but only ${plural(freeFiles, 'file')}` : ''}`,
    fix: `autoresearch clean --keep 3${again}`,
  }),
  lock: ({ kind, holder }, { again }) => {
    const label = 'lock';
    if (kind === 'free') return { label, what: 'free' };
    if (kind === 'alive') return { label, what: `held by ${holderWords(holder)}` };
    if (kind === 'dead')
      return { label, what: `left behind by ${holderWords(holder)}`, fix: `autoresearch unlock${again}` };
    return { label, what: `held by ${holderWords(holder)}`, fix: `autoresearch unlock --force${again}` };
  },
  runs: ({ count, newest, problem }, { again }) => {
    const label = 'runs';
    if (problem !== undefined)
      return {
        label,
        what: `run ${newest?.run} cannot be trusted: ${problem}`,
        fix: `autoresearch exec --new${again}`,
      };
    if (!newest) return { label, what: count === 0 ? 'none yet' : `${count}, none of which has begun` };
    return {
      label,
      what: `${count}; the newest, ${newest.run}: ${outcomeNames[newest.outcome]}`,
      fix:
        newest.outcome === 'waiting' || newest.isLoopOver
          ? `autoresearch status${again}`
          : `autoresearch exec${again}${again.includes(' --set ') ? '' : setOptions(newest.set ?? [])}`,
    };
  },
  processes: ({ pids }, { again }) => ({
    label: 'processes',
    what: `${plural(pids.length, 'process', 'processes')} of a run that was killed still ${pids.length === 1 ? 'runs' : 'run'}: ${listed(pids.map(String), 5)}`,
    fix: `autoresearch exec${again}   (ends them and goes on), or: kill -9 ${pids.join(' ')}`,
  }),
  sessions: ({ names, attach }, { again }) => ({
    label: 'sessions',
    what: `${plural(names.length, 'terminal')} of agents ${names.length === 1 ? 'is' : 'are'} open: ${listed(names)}${attach === undefined ? '' : `; look: ${attach}`}`,
    fix: `autoresearch clean --sessions${again}`,
  }),
  worktrees: ({ isAtWork, removable, kept, problem }, { again }) => {
    const label = 'worktrees';
    if (problem !== undefined) return { label, what: problem, fix: `autoresearch clean --dry-run${again}` };
    if (isAtWork) return { label, what: `${removable + kept}, while a run goes on` };
    const parts = [
      ...(removable === 0 ? [] : [`${removable} left behind with nothing in ${removable === 1 ? 'it' : 'them'}`]),
      ...(kept === 0 ? [] : [`${kept} with work that is nowhere else`]),
    ];
    return { label, what: parts.join(', '), fix: `autoresearch clean${removable === 0 ? ' --dry-run' : ''}${again}` };
  },
  stashes: ({ count }) => ({
    label: 'stashes',
    what: `${plural(count, 'stash', 'stashes')} of your changes, made by autoresearch`,
    fix: 'git stash list',
  }),
  places: ({ folder, vaults, evidence, bytes, removable, kept }, { again }) => ({
    label: 'kept',
    what: [
      `${countedPlaces(vaults, evidence)} in ${folder}, ${bytesText(bytes)}`,
      ...(removable === 0 ? [] : [`${removable} that nobody needs`]),
      ...(kept === 0 ? [] : [`${kept} to look at`]),
    ].join('; '),
    fix: `autoresearch clean${removable === 0 ? ' --dry-run' : ''}${again}`,
  }),
  leftovers: () => ({ label: 'leftovers', what: 'none: no process, session, worktree or stash of an earlier run' }),
  failed: ({ what, detail }) => ({ label: 'doctor', what: `could not look at ${what}: ${detail}` }),
};

function sandboxText(level: 'bwrap' | 'none', wanted: string | undefined, why: string): string {
  const here = level === 'bwrap' ? 'bubblewrap works here' : why;
  if (wanted === undefined) return here;
  if (wanted === 'none') return `none is asked for, so what agents write is looked at afterwards (${here})`;
  return level === 'bwrap'
    ? 'bubblewrap: agents can write only what they may'
    : `${wanted} is asked for, but ${why}${wanted === 'auto' ? '; what agents write is looked at afterwards' : ''}`;
}
