import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitGuard, openGitGuard } from '../../../src/adapters/git/git-guard.js';
import { askGit } from '../../../src/adapters/git/git-guard-ask.js';
import { findRepository } from '../../../src/adapters/git/git-guard-find.js';

interface Rig {
  readonly home: string;
  readonly root: string;
  readonly guard: GitGuard;
  readonly evidence: string;
  agent(script: string): string;
}

const env = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.invalid',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.invalid',
};

async function rig(kind: 'plain' | 'worktree' | 'below' = 'plain'): Promise<Rig> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'git-guard-')));
  const sh = (script: string, cwd: string): string =>
    execFileSync('bash', ['--norc', '-euc', script], {
      cwd,
      encoding: 'utf8',
      env: { ...env, PWNED: join(home, 'pwned') },
      timeout: 60_000,
    }).trim();
  mkdirSync(join(home, 'repository/part/eval'), { recursive: true });
  mkdirSync(join(home, 'repository/eval'));
  sh(
    'git init -q -b main; for f in a b c; do echo $f > eval/$f; echo $f > part/eval/$f; done; git add .; git commit -qm first; git branch spare',
    join(home, 'repository'),
  );
  if (kind === 'worktree') sh('git worktree add -q ../project -b study', join(home, 'repository'));
  const root = join(home, { plain: 'repository', worktree: 'project', below: 'repository/part' }[kind]);
  const guard = await openGitGuard(root, { dir: join(home, 'vault') });
  return { home, root, guard: guard!, evidence: join(home, 'evidence'), agent: (script) => sh(script, root) };
}

describe('the guard of a repository', () => {
  it('does nothing where there is none', async () => {
    const home = mkdtempSync(join(tmpdir(), 'git-guard-none-'));
    mkdirSync(join(home, 'project'));
    expect(await openGitGuard(join(home, 'project'), { dir: join(home, 'vault') })).toBeUndefined();
  });

  it('has nothing to say when nothing happened', async () => {
    for (const kind of ['plain', 'worktree', 'below'] as const) {
      const { guard } = await rig(kind);
      const changes = await guard.compare(await guard.before(['eval']));
      expect(changes).toEqual({
        files: [],
        flags: [],
        history: { commits: [], refsAdded: [], refsMoved: [], refsRemoved: [], lost: [] },
        problems: [],
      });
    }
  });

  it.each([
    ['plain', '.git'],
    ['worktree', '../repository/.git'],
    ['below', '../.git'],
  ] as const)('puts settings, hooks and rules back exactly (%s)', async (kind, at) => {
    const { guard, agent, evidence, root } = await rig(kind);
    const before = JSON.parse(JSON.stringify(await guard.before(['eval'])));
    const config = readFileSync(join(root, at, 'config'));
    agent(`G=${at}
      git config core.hooksPath /tmp/nowhere; echo 'eval/* -diff filter=x' > $G/info/attributes
      printf '#!/bin/sh\\ntouch $PWNED' > $G/hooks/pre-commit; chmod +x $G/hooks/pre-commit; rm $G/hooks/update.sample`);
    const changes = await guard.compare(before);
    expect(changes.files.map(({ how, path }) => `${how} ${path}`)).toEqual([
      `changed ${at}/config`,
      `added ${at}/hooks/pre-commit`,
      `removed ${at}/hooks/update.sample`,
      `added ${at}/info/attributes`,
    ]);
    const done = await guard.putBack(before, { evidence });
    expect(done.problems).toEqual([]);
    expect(done.evidence.length).toBe(3);
    expect(readFileSync(join(root, at, 'config'))).toEqual(config);
    expect((await guard.compare(before)).files).toEqual([]);
  });

  it.each([
    ['plain', '../other', '../other'],
    // What people have checked out first is another worktree for a study in a linked one.
    ['worktree', '../repository', '../repository'],
    ['below', '../../other', '../../other'],
  ] as const)('finds flags in another worktree of people, and takes them away (%s)', async (kind, at, named) => {
    const { guard, agent, evidence } = await rig(kind);
    if (kind !== 'worktree') agent(`git worktree add -q ${at} -b other`);
    agent(`cd ${at}; git update-index --skip-worktree eval/c`);
    for (const wish of [{ paths: ['eval'] }, { paths: [], isWide: true }]) {
      const before = JSON.parse(JSON.stringify(await guard.before(wish.paths, wish)));
      expect((await guard.compare(before)).flags).toEqual([]);
      agent(
        `cd ${at}; git update-index --assume-unchanged eval/a; echo 9 > eval/a; git update-index --no-skip-worktree eval/c`,
      );
      const { flags, problems } = await guard.compare(before);
      expect(problems).toEqual([]);
      expect(flags).toEqual([
        { path: `${named}/eval/a`, flag: 'assume-unchanged', how: 'set' },
        { path: `${named}/eval/c`, flag: 'skip-worktree', how: 'cleared' },
      ]);
      const done = await guard.putBack(before, { evidence });
      expect(done.problems).toEqual([]);
      expect(done.restored).toEqual([`${named}/eval/a (assume-unchanged)`, `${named}/eval/c (skip-worktree)`]);
      expect((await guard.compare(before)).flags).toEqual([]);
      expect(agent(`cd ${at}; git status --porcelain`)).toBe('M eval/a');
    }
  });

  it.each([
    ['a submodule', 'lib', 'lib/x'],
    ['one that holds its own repository', 'lib', 'lib/x'],
    ['a submodule of a submodule', 'lib/deep', 'lib/deep/y'],
  ])('finds flags in %s, and takes them away', async (kind, at, named) => {
    const { guard, agent, evidence, home } = await rig();
    const add = 'git -c protocol.file.allow=always submodule --quiet add';
    agent(`cd ${home}; git init -q -b main inner; cd inner; echo y > y; git add y; git commit -qm y
      cd ${home}; git init -q -b main lib; cd lib; echo x > x; git add x; ${add} ../inner deep; git commit -qm x`);
    if (kind.startsWith('one'))
      agent(
        `git clone -q ${home}/lib lib; git -c advice.addEmbeddedRepo=false add lib 2> /dev/null; git commit -qm lib`,
      );
    else
      agent(
        `${add} ../lib lib; git -c protocol.file.allow=always submodule --quiet update --init --recursive; git commit -qm lib`,
      );
    // Only where something is protected, unless all of it is watched.
    expect((await guard.before(['eval'])).others).toEqual([]);
    const file = named.slice(at.length + 1);
    for (const wish of [{ paths: [named] }, { paths: ['lib'] }, { paths: [], isWide: true }]) {
      const before = await guard.before(wish.paths, wish);
      agent(`cd ${at}; git update-index --skip-worktree ${file}; echo 9 > ${file}`);
      const { flags, problems } = await guard.compare(before);
      expect(problems).toEqual([]);
      expect(flags.map(({ path, flag, how }) => `${how} ${flag} ${path}`)).toContain(`set skip-worktree ${named}`);
      expect((await guard.putBack(before, { evidence })).problems).toEqual([]);
      expect((await guard.compare(before)).flags).toEqual([]);
      expect(agent(`cd ${at}; git status --porcelain -- ${file}`)).toBe(`M ${file}`);
      agent(`cd ${at}; git checkout -q -- ${file}`);
    }
  });

  it('is not led astray by worktrees that are gone or broken, nor by those of tasks', async () => {
    const { guard, agent, home } = await rig();
    agent(`git worktree add -q ../gone -b gone; rm -r ../gone; git worktree add -q ../broken -b broken
      echo x > .git/worktrees/broken/index; git worktree add -q ../late -b late
      git worktree add -q ../task -b auto/x-iter-1-a; git worktree add -q .autoresearch/x/worktrees/a -b b`);
    const before = await guard.before(['eval']);
    expect(before.others?.map(({ top }) => top)).toEqual([join(home, 'late')]);
    agent(`cd ../task; git update-index --assume-unchanged eval/a; rm -r ../late`);
    expect(await guard.compare(before)).toMatchObject({ flags: [], problems: [] });
  });

  it('one that can be read no more is told: not knowing is no "nothing"', async () => {
    const { guard, agent } = await rig();
    agent('git worktree add -q ../other -b other');
    const before = await guard.before(['eval']);
    agent('echo spoilt > .git/worktrees/other/index');
    expect((await guard.compare(before)).problems).toHaveLength(1);
  });

  it('finds flags that hide an edit, and takes them away', async () => {
    for (const kind of ['plain', 'worktree', 'below'] as const) {
      const { guard, agent, evidence } = await rig(kind);
      agent('git update-index --skip-worktree eval/c');
      const before = await guard.before(['eval']);
      agent(`git update-index --assume-unchanged eval/a; echo 9 > eval/a; git update-index --skip-worktree eval/b
        git update-index --no-skip-worktree eval/c; echo n > eval/new; git add -N eval/new`);
      const { flags, problems } = await guard.compare(before);
      expect(problems).toEqual([]);
      expect(flags).toEqual([
        { path: 'eval/a', flag: 'assume-unchanged', how: 'set' },
        { path: 'eval/b', flag: 'skip-worktree', how: 'set' },
        { path: 'eval/c', flag: 'skip-worktree', how: 'cleared' },
        { path: 'eval/new', flag: 'intent-to-add', how: 'set' },
      ]);
      expect((await guard.putBack(before, { evidence })).problems).toEqual([]);
      expect((await guard.compare(before)).flags).toEqual([]);
      const at = kind === 'below' ? 'part/eval' : 'eval';
      expect(agent('git status --porcelain -- eval')).toBe(`M ${at}/a\n?? ${at}/new`);
    }
  });

  it('tells commits, a moved HEAD and branches, and rewrites none of them', async () => {
    const { guard, agent, evidence } = await rig();
    const before = await guard.before(['eval']);
    agent(`echo 9 > eval/a; git commit -qam 'harmless cleanup'; echo 1 > other; git add other; git commit -qm second
      git branch -qD spare; git checkout -qb elsewhere; git tag t`);
    const head = agent('git rev-parse HEAD');
    const { history, files } = await guard.compare(before);
    expect(files).toEqual([]);
    expect(history).toMatchObject({
      head: { now: head },
      branch: { before: 'refs/heads/main', now: 'refs/heads/elsewhere' },
      commits: [
        { subject: 'second', isOnWatched: false },
        { subject: 'harmless cleanup', isOnWatched: true },
      ],
      refsAdded: ['refs/heads/elsewhere', 'refs/tags/t'],
      refsMoved: ['refs/heads/main'],
      refsRemoved: ['refs/heads/spare'],
      lost: [],
    });
    await guard.putBack(before, { evidence });
    expect(agent('git rev-parse HEAD')).toBe(head);
  });

  it('lets git run nothing that an agent set up', async () => {
    const { guard, agent, evidence, home } = await rig();
    agent('git update-index --assume-unchanged eval/b');
    const before = await guard.before(['eval']);
    const evil = join(home, 'evil');
    writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> '${home}/pwned'\ncat\n`, { mode: 0o755 });
    agent(`E='${evil}'
      for key in core.fsmonitor core.pager core.editor core.sshCommand core.alternateRefsCommand core.askPass diff.external \
        diff.x.command diff.x.textconv filter.x.clean filter.x.smudge filter.x.process gpg.program credential.helper \
        sequence.editor pager.ls-files pager.rev-list pager.update-index core.gitProxy; do git config $key "$E"; done
      git config alias.ls-files "!$E"; git config log.showSignature true; git config core.untrackedCache true
      git config extensions.partialClone evil; git config core.repositoryFormatVersion 1
      git config remote.evil.url "ext::$E"; git config remote.evil.promisor true; git config protocol.ext.allow always
      echo '* filter=x diff=x' > .gitattributes; cp .gitattributes .git/info/attributes
      mkdir hooks; for h in post-index-change pre-auto-gc reference-transaction post-checkout; do cp "$E" .git/hooks/$h; cp "$E" hooks/$h; done
      echo 9 > eval/a`);
    // Only now, because it would get in the agent's own way: HEAD on a commit that is not there, which git would fetch.
    agent(`rm -f "$PWNED"; git config core.hooksPath hooks
      printf '%s\\n' 1234567890123456789012345678901234567890 > .git/refs/heads/main; rm -f '${home}/pwned'`);
    const changes = await guard.compare(before);
    expect(changes.files.length).toBeGreaterThan(4);
    expect(changes.problems.length).toBe(1);
    expect(existsSync(join(home, 'pwned'))).toBe(false);
    agent(`echo ${before.names.head} > .git/refs/heads/main; rm -f '${home}/pwned'`);
    expect((await guard.compare(before)).problems).toEqual([]);
    expect((await guard.putBack(before, { evidence })).problems).toEqual([]);
    expect(existsSync(join(home, 'pwned'))).toBe(false);
    // The trap was real.
    agent(`git -c core.fsmonitor='${evil}' -c core.hooksPath=/dev/null status >/dev/null`);
    expect(existsSync(join(home, 'pwned'))).toBe(true);
  });

  it('writes the index past a hook that waits for it to change', async () => {
    const { agent, home, root } = await rig();
    agent(`printf '#!/bin/sh\\ntouch ${home}/pwned' > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change
      mkdir hooks; cp .git/hooks/post-index-change hooks; git config core.hooksPath hooks`);
    await askGit(findRepository(root)!, ['update-index', '--assume-unchanged', '-z', '--stdin'], 'eval/a\0');
    expect(existsSync(join(home, 'pwned'))).toBe(false);
    agent('git update-index --no-assume-unchanged eval/a');
    expect(existsSync(join(home, 'pwned'))).toBe(true);
  });

  it('clears a lock away that was left behind', async () => {
    const { guard, agent, evidence, root } = await rig();
    const before = await guard.before(['eval']);
    agent('git update-index --assume-unchanged eval/a; echo > .git/index.lock');
    expect((await guard.compare(before)).files).toEqual([{ path: '.git/index.lock', how: 'added' }]);
    expect((await guard.putBack(before, { evidence })).problems).toEqual([]);
    expect(existsSync(join(root, '.git/index.lock'))).toBe(false);
    expect((await guard.compare(before)).flags).toEqual([]);
  });

  describe('watches where names lead', () => {
    const begin = async (paths?: readonly string[]) => {
      const { agent, root, home } = await rig();
      agent(
        'git checkout -qb work; echo 1 > mine; git add mine; git commit -qm mine; git tag v1; git checkout -q main',
      );
      agent('git worktree add -q ../theirs work; git branch -f spare; echo s > eval/a; git stash -q');
      const { watchGit } = await import('../../../src/adapters/git/git-watch.js');
      const places = { root, dir: join(home, 'vault'), evidence: join(home, 'found'), ...(paths ? { paths } : {}) };
      mkdirSync(join(home, 'vault'), { recursive: true });
      const names = (): string =>
        agent(
          'git symbolic-ref HEAD; git for-each-ref refs/heads refs/tags refs/stash; git -C ../theirs symbolic-ref HEAD; git status --short',
        );
      return { agent, names, before: names(), watch: (await watchGit(places))! };
    };

    it.each([
      ['deletes a branch', 'git branch -qD spare', ['refs/heads/spare']],
      ['deletes one that is checked out elsewhere', 'git update-ref -d refs/heads/work', ['refs/heads/work']],
      ['rewinds a branch', 'git update-ref refs/heads/work main', ['refs/heads/work']],
      ['moves a branch forward that nobody has checked out', 'git branch -qf spare work', ['refs/heads/spare']],
      ['deletes a tag', 'git tag -d v1', ['refs/tags/v1']],
      ['moves a tag, and leaves a lock', 'git tag -f v1 main; echo > .git/refs/tags/v1.lock', ['refs/tags/v1']],
      ['makes a branch lead to another', 'git symbolic-ref refs/heads/spare refs/heads/work', ['refs/heads/spare']],
      ['drops what was put aside', 'git stash drop', ['refs/stash']],
      ['makes the last commit anew', 'git commit -q --amend --allow-empty -m other', ['refs/heads/main']],
      ['checks out another branch', 'git checkout -q spare', ['HEAD']],
      // Files are for those who watch the tree.
      ['takes a branch over', 'git checkout -qB spare work; rm mine', ['HEAD', 'refs/heads/spare']],
      ['leaves all branches', 'git checkout -q --detach', ['HEAD']],
      ['checks out another branch elsewhere', 'git -C ../theirs checkout -q spare', ['worktrees/theirs/HEAD']],
      ['leaves all branches elsewhere', 'git -C ../theirs checkout -q --detach main', ['worktrees/theirs/HEAD']],
    ])('and puts them back when somebody %s', async (_, trick, files) => {
      const { agent, names, before, watch } = await begin();
      agent(trick);
      expect(await watch.end()).toMatchObject({ files, problems: [] });
      expect(names()).toBe(before);
    });

    it.each([
      ['commits', 'echo 2 > eval/new; git add eval/new; git commit -qm more'],
      [
        'commits in another worktree',
        'echo 2 > ../theirs/new; git -C ../theirs add new; git -C ../theirs commit -qm more',
      ],
      [
        'makes branches and tags, and puts something aside',
        'git branch fresh; git tag v2; echo x > eval/a; git stash -q',
      ],
      [
        'does what the runner does',
        'git branch auto/a; git update-ref refs/autoresearch/tips/a main; git branch -D auto/a',
      ],
    ])('and leaves it alone when somebody %s', async (_, work) => {
      const { agent, watch } = await begin();
      agent(work);
      expect(await watch.end()).toBeUndefined();
    });

    it('and keeps what they led to meanwhile', async () => {
      const { agent, watch } = await begin();
      agent('git commit -q --amend --allow-empty -m theirs');
      const id = agent('git rev-parse HEAD').trim();
      await watch.end();
      expect(agent(`git rev-parse refs/autoresearch/kept/moved/${id}`).trim()).toBe(id);
    });

    it('also after the repository was swapped', async () => {
      const { agent, names, before, watch } = await begin(['eval']);
      agent('git branch -qD spare; git config core.hooksPath /tmp/evil');
      expect(await watch.end()).toMatchObject({ files: ['.git/config', 'refs/heads/spare'], problems: [] });
      expect(names()).toBe(before);
    });
  });

  it('waits for a lock that is there by chance, and does not miss it afterwards', async () => {
    const { guard, root } = await rig();
    writeFileSync(join(root, '.git/index.lock'), '');
    const begun = guard.before(['eval']);
    rmSync(join(root, '.git/index.lock'));
    expect((await guard.compare(await begun)).files).toEqual([]);
  });

  it('finds objects that stand in for others', async () => {
    const { guard, agent, evidence } = await rig();
    const before = await guard.before(['eval']);
    agent('git replace HEAD $(git commit-tree HEAD^{tree} -m other)');
    const { files } = await guard.compare(before);
    expect(files.map(({ path }) => path.replace(/[0-9a-f]{40}/, 'ID'))).toEqual([
      '.git/refs/replace',
      '.git/refs/replace/ID',
    ]);
    await guard.putBack(before, { evidence });
    expect(agent('git replace --list')).toBe('');
  });

  it('does not answer for another repository that was put in its place', async () => {
    const { guard, agent, evidence, root } = await rig('worktree');
    const before = await guard.before(['eval']);
    const pointer = readFileSync(join(root, '.git'));
    agent('git init -q ../fake; echo "gitdir: ../fake/.git" > .git');
    const changes = await guard.compare(before);
    expect(changes.files).toEqual([{ path: '.git', how: 'changed' }]);
    expect(changes.history).toBeUndefined();
    expect(changes.problems).toEqual(['git was not asked, because .git is not what it was']);
    expect((await guard.putBack(before, { evidence })).problems).toEqual([]);
    expect(readFileSync(join(root, '.git'))).toEqual(pointer);
  });

  it('finds a nearer repository that hides the real one', async () => {
    const { guard, agent, evidence } = await rig('below');
    const before = await guard.before(['eval']);
    agent('git init -q .');
    expect((await guard.compare(before)).files[0]).toEqual({ path: '.git', how: 'added' });
    expect((await guard.putBack(before, { evidence })).problems).toEqual([]);
    expect((await guard.compare(before)).files).toEqual([]);
  });

  it('fails closed when the repository is gone, or its index is rubbish', async () => {
    const { guard, agent, evidence, root } = await rig();
    const before = await guard.before(['eval']);
    agent('cp .git/index ../index; head -c 300 /dev/zero > .git/index');
    expect((await guard.compare(before)).problems).toEqual([expect.stringContaining('git ls-files')]);
    expect((await guard.putBack(before, { evidence })).problems).not.toEqual([]);
    agent('cp ../index .git/index; mv .git ../gone; ln -s ../gone .git');
    const { files, problems } = await guard.compare(before);
    expect(files).toEqual([{ path: '.git/.', how: 'type' }]);
    expect(problems.length).toBe(1);
    expect((await guard.putBack(before, { evidence })).problems).not.toEqual([]);
    expect(existsSync(join(root, '../gone/HEAD'))).toBe(true);
  });
});
