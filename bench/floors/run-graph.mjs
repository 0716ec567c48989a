// The floor for running: spawns the commands of a graph, two at a time and in order, and does nothing else. No journal, no
// logs, no cache, no limits. Usage: node run-graph.mjs GRAPH.json
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const tasks = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const waiting = new Map(tasks.map(({ id, needs }) => [id, needs.length]));
const dependants = new Map(tasks.map(({ id }) => [id, []]));
for (const { id, needs } of tasks) for (const need of needs) dependants.get(need).push(id);
const commands = new Map(tasks.map(({ id, command }) => [id, command]));
const ready = tasks.filter(({ needs }) => needs.length === 0).map(({ id }) => id);
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
