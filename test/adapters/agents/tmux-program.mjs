import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * A terminal program that stays open. It is told by a typed line where its task stands; the task's first line says what it
 * does. Every line it was typed is kept, so that a test can see that nothing else arrived.
 */
const typed = [];
let interrupts = 0;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const path = (word) => (word.startsWith('"') ? JSON.parse(word) : word);

process.on('SIGINT', () => {
  interrupts += 1;
  typed.push('C-c');
  console.log('interrupted');
});

console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  typed.push(line);
  const match = /^Read (".*?"|\S+) and do what it says(.*?)\. When .* to (".*"|\S+)$/.exec(line);
  if (!match) continue;
  const prompt = readFileSync(path(match[1]), 'utf8');
  // Not awaited: a real one listens to its terminal while it works.
  void work(prompt, path(match[3]), match[2]);
}

async function work(prompt, replyFile, where) {
  const [verb, argument] = prompt.split('\n')[0].split(' ');
  const reply = JSON.stringify({ pid: process.pid, env: process.env, cwd: process.cwd(), typed, prompt, where });
  console.log(`doing ${verb}`);
  if (verb === 'facts') {
    writeFileSync(`${replyFile}.new`, reply);
    renameSync(`${replyFile}.new`, replyFile);
  }
  if (verb === 'slowly') {
    // A whole object stands in the half-written one, and each pause is longer than the time between two looks.
    for (const piece of ['{"inner":{"a":1}', ',"b', '":2', '}\n']) {
      appendFileSync(replyFile, piece);
      await pause(700);
    }
  }
  if (verb === 'write') writeFileSync(replyFile, prompt.slice(prompt.indexOf('\n') + 1));
  if (verb === 'fifo') spawn('mkfifo', [replyFile]);
  if (verb === 'folder') mkdirSync(replyFile);
  if (verb === 'die') {
    console.log('api_key=hunter2hunter2 was refused');
    if (argument === 'replied') {
      writeFileSync(replyFile, '{"outcome":"done"}');
      // At once: an exit takes its time, and the reply would be seen, twice, before it.
      process.kill(process.pid, 'SIGKILL');
    }
    setTimeout(() => process.exit(argument === 'content' ? 0 : 3), 50);
    if (argument === 'content') writeFileSync(replyFile, '{"outcome":"done"}');
  }
  if (verb === 'children') {
    const options = { stdio: 'ignore', detached: true };
    const marked = spawn('sh', ['-c', 'setsid sleep 3600 3>&- & echo $! >&3; exec sleep 0'], {
      ...options,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    let inner = '';
    for await (const chunk of marked.stdio[3]) inner += chunk;
    const bare = spawn('env', ['-i', 'sleep', '3600'], options);
    writeFileSync(`${argument}.new`, JSON.stringify([process.pid, Number(inner), bare.pid]));
    renameSync(`${argument}.new`, argument);
  }
  if (verb === 'busy') {
    const before = interrupts;
    for (let turn = 0; turn < 600 && (interrupts === before || argument === 'stubborn'); turn += 1) {
      console.log(`step ${turn}`);
      await pause(50);
    }
  }
}
