// The floor for one changed source: spawns the commands of the tasks that it reaches, two at a time and in order, and does
// nothing else. Which tasks those are was worked out before. Usage: node rerun-graph.mjs GRAPH.json (in the project's folder)
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { reached } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const waiting = new Map(reached.map(({ id, needs }) => [id, needs.length]));
const dependants = new Map(reached.map(({ id }) => [id, []]));
for (const { id, needs } of reached) for (const need of needs) dependants.get(need).push(id);
const commands = new Map(reached.map(({ id, command }) => [id, command]));
const ready = reached.filter(({ needs }) => needs.length === 0).map(({ id }) => id);
let [next, running] = [0, 0];

fill();

function fill() {
  while (running < 2 && next < ready.length) {
    const id = ready[next++];
    running++;
    spawn('/bin/sh', ['-c', commands.get(id)], { stdio: 'ignore' }).on('exit', (code) => finished(id, code));
  }
}

function finished(id, code) {
  if (code !== 0) process.exit(1);
  running--;
  for (const dependant of dependants.get(id)) {
    waiting.set(dependant, waiting.get(dependant) - 1);
    if (waiting.get(dependant) === 0) ready.push(dependant);
  }
  fill();
}
