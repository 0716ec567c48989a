import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Runs a command and watches /proc while it does: the most that the process itself held at once (the kernel's own high-water
 * mark), and the most that it and everything below it held together.
 */
export function peakMemory([program, ...args], { cwd }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: 'ignore' });
    const peak = { ownMb: 0, treeMb: 0 };
    const timer = setInterval(() => {
      peak.ownMb = Math.max(peak.ownMb, status(child.pid, 'VmHWM'));
      peak.treeMb = Math.max(
        peak.treeMb,
        tree(child.pid).reduce((sum, pid) => sum + status(pid, 'VmRSS'), 0),
      );
    }, 25);
    child.on('error', reject);
    child.on('exit', (code) => {
      clearInterval(timer);
      if (code === 0) resolve(peak);
      else reject(new Error(`${program} ended with exit code ${code}`));
    });
  });
}

function status(pid, field) {
  const text = read(`/proc/${pid}/status`);
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024;
}

function tree(root) {
  const children = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = /^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1];
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found = [String(root)];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** A process may be gone by the time it is asked. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
