// A batch system of a few lines, for kinds whose real programs cannot run here. It starts real processes, and answers as
// `kubectl` or as a tool of nobody's (`batch`). Its jobs are folders in $FAKE_BATCH.
// $FAKE_BATCH/next: what the next call does instead: `hang`, `empty`, `garbage`, `fail TEXT`, `late` (does it, then hangs).
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const home = process.env.FAKE_BATCH;
const [as, ...args] = process.argv.slice(2);
const say = (text) => process.stdout.write(`${text}\n`);
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const hang = () => setInterval(() => {}, 1000);

appendFileSync(join(home, 'calls'), `${as} ${args.join(' ')}\n`);
const trick = takeTrick();
if (trick === 'hang') hang();
else if (trick === 'empty') process.exit(0);
else if (trick === 'garbage') say('\u0000<html>502 Bad Gateway</html>');
else if (trick?.startsWith('fail ')) {
  process.stderr.write(`${trick.slice(5)}\n`);
  process.exitCode = 1;
} else {
  const words = args.filter((word) => !/^--(context|namespace)=/.test(word));
  if (as === 'kubectl') kubectl(words);
  else batch(words);
  if (trick === 'late') hang();
}

/** A trick may be for one kind of call only: `submit late`. */
function takeTrick() {
  const text = read(join(home, 'next'))?.trim();
  if (!text) return undefined;
  const [verb, ...rest] = text.split(' ');
  if (!args.includes(verb)) return undefined;
  renameSync(join(home, 'next'), join(home, 'used'));
  return rest.join(' ');
}

/** Making the folder is what claims an id: of two calls at once only one gets it. */
function claim(id) {
  mkdirSync(join(home, 'jobs'), { recursive: true });
  try {
    mkdirSync(join(home, 'jobs', id));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function nextId() {
  for (let id = ids().length + 1; ; id += 1) if (claim(String(id))) return String(id);
}

function start(id, { script, env = {}, seconds, tag }) {
  const dir = join(home, 'jobs', id);
  writeFileSync(join(dir, 'tag'), tag);
  writeFileSync(join(dir, 'script'), script);
  const limit = seconds ? `timeout -s KILL ${seconds}` : '';
  const text = `${limit} sh "$1/script" >"$1/log" 2>&1 </dev/null; echo $? >"$1/rc.new"; mv "$1/rc.new" "$1/rc"`;
  const child = spawn('setsid', ['sh', '-c', text, 'job', dir], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...env },
  });
  writeFileSync(join(dir, 'pid'), String(child.pid));
  child.unref();
}

function ids() {
  return existsSync(join(home, 'jobs')) ? readdirSync(join(home, 'jobs')) : [];
}

function look(id) {
  const dir = join(home, 'jobs', id);
  const rc = read(join(dir, 'rc'));
  return {
    id,
    dir,
    tag: read(join(dir, 'tag')),
    rc: rc === undefined ? undefined : Number(rc),
    killed: existsSync(join(dir, 'killed')),
    seconds: read(join(dir, 'seconds')),
  };
}

function kill(id) {
  const dir = join(home, 'jobs', id);
  writeFileSync(join(dir, 'killed'), '');
  try {
    process.kill(-Number(read(join(dir, 'pid'))), 'SIGKILL');
  } catch {}
  // What has a session of its own is found by its parent's folder, as a container would end it.
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`FAKE_JOB=${id}\0`))
        process.kill(Number(pid), 'SIGKILL');
    } catch {}
  }
}

function batch([verb, ...rest]) {
  if (verb === 'submit') {
    const [tag, script, seconds] = rest;
    const id = nextId();
    start(id, {
      tag,
      script: readFileSync(script, 'utf8'),
      seconds,
      env: { ...process.env, JOB_ID: id, FAKE_JOB: id },
    });
    say(`Your job ${id} ("${tag}") has been submitted`);
  } else if (verb === 'find') {
    for (const id of ids()) if (look(id).tag === rest[0]) say(id);
  } else if (verb === 'state') {
    if (!ids().includes(rest[0])) return nothing(`job ${rest[0]} does not exist`);
    const { rc, killed } = look(rest[0]);
    if (killed) say('state=K');
    else if (rc === undefined) say('state=r');
    else say(rc === 137 ? 'state=T' : rc === 0 ? 'state=C' : 'state=F');
  } else if (verb === 'cancel') kill(rest[0]);
  else nothing(`no such verb: ${verb}`);
}

function nothing(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}

function kubectl([verb, ...rest]) {
  if (verb === 'create') {
    const { metadata, spec } = JSON.parse(readFileSync(0, 'utf8'));
    const [container] = spec.template.spec.containers;
    const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    const options = {
      tag: metadata.labels['autoresearch.dev/tag'],
      script: container.command[2],
      seconds: spec.activeDeadlineSeconds,
    };
    writeFileSync(join(home, 'manifest.json'), JSON.stringify({ metadata, spec }));
    if (claim(metadata.name)) {
      start(metadata.name, { ...options, env: { ...env, FAKE_JOB: metadata.name } });
      say(`job.batch/${metadata.name} created`);
    } else nothing(`Error from server (AlreadyExists): jobs.batch "${metadata.name}" already exists`);
  } else if (verb === 'get') {
    const wanted = rest[1]
      .replace(/^.*(?:tag=|tag in \()/, '')
      .replace(')', '')
      .split(',');
    const found = ids()
      .map(look)
      .filter(({ tag, killed }) => wanted.includes(tag) && !killed);
    say(JSON.stringify({ items: found.map(rest[0] === 'jobs' ? asJob : asPod) }));
  } else if (verb === 'logs') {
    const text = read(join(home, 'jobs', rest[0].slice(4), 'log'));
    if (text === undefined) nothing('Error from server (NotFound)');
    else process.stdout.write(text);
  } else if (verb === 'delete') {
    for (const id of rest.slice(1).filter((word) => !word.startsWith('-'))) if (ids().includes(id)) kill(id);
  } else nothing(`no such verb: ${verb}`);
}

function asJob({ id, rc }) {
  const condition = (type, reason) => [{ type, status: 'True', reason }];
  const failed = rc === 137 ? 'DeadlineExceeded' : 'BackoffLimitExceeded';
  const conditions = rc === undefined ? [] : rc === 0 ? condition('Complete') : condition('Failed', failed);
  return { metadata: { name: id }, status: { conditions, ...(rc === undefined ? { active: 1 } : {}) } };
}

function asPod({ tag, rc }) {
  const labels = { 'autoresearch.dev/tag': tag };
  const state =
    rc === undefined ? { running: {} } : { terminated: { exitCode: rc, reason: rc === 0 ? 'Completed' : 'Error' } };
  const phase = rc === undefined ? 'Running' : rc === 0 ? 'Succeeded' : 'Failed';
  return {
    metadata: { labels, creationTimestamp: '2026-01-01T00:00:00Z' },
    status: { phase, containerStatuses: [{ state }] },
  };
}
