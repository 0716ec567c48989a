import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { GateAnswer } from '../../model/gates/gate-answer.js';
import { diskError } from '../disk/disk-error.js';
import { openPlain, writePlain } from '../disk/plain-file.js';
import { userNameOf } from '../person/user-name.js';

/**
 * Answers to gates on their way to a live runner: files in the run's own folder, there whole or not at all. Whose answer
 * it is says the owner of the file, not what is written in it.
 */
export function leaveAnswer(runDir: string, answer: Omit<GateAnswer, 'id' | 'by'>): string {
  const id = randomBytes(8).toString('hex');
  const file = join(folderIn(runDir), `${id}.json`);
  try {
    mkdirSync(folderIn(runDir), { recursive: true });
    writePlain(file, `${JSON.stringify(answer)}\n`);
  } catch (error) {
    throw diskError(error, file);
  }
  return id;
}

export function readAnswers(runDir: string): readonly GateAnswer[] {
  let names: string[];
  try {
    names = readdirSync(folderIn(runDir));
  } catch {
    return [];
  }
  return names
    .filter((name) => /^[0-9a-f]{16}\.json$/.test(name))
    .flatMap((name) => readAnswer(runDir, name.slice(0, 16)));
}

/** True when it was still there. */
export function takeAnswerBack(runDir: string, id: string): boolean {
  try {
    rmSync(join(folderIn(runDir), `${id}.json`));
    return true;
  } catch {
    return false;
  }
}

const folderIn = (runDir: string): string => join(runDir, 'answers');

const mostBytes = 100_000;

/** What is no answer is left lying there. */
function readAnswer(runDir: string, id: string): GateAnswer[] {
  const fd = openPlain(join(folderIn(runDir), `${id}.json`));
  if (fd === undefined) return [];
  try {
    const { size, uid } = fstatSync(fd);
    if (size > mostBytes) return [];
    const { run, task, question, shown, verdict, text } = JSON.parse(readFileSync(fd, 'utf8')) as Partial<GateAnswer>;
    const names = [run, task, question, shown];
    if (!names.every((name) => typeof name === 'string') || !isVerdict(verdict)) return [];
    if (text !== undefined && typeof text !== 'string') return [];
    const by = userNameOf(uid);
    return [
      {
        id,
        run: run!,
        task: task!,
        question: question!,
        shown: shown!,
        verdict,
        by,
        ...(text === undefined ? {} : { text }),
      },
    ];
  } catch {
    return [];
  } finally {
    closeSync(fd);
  }
}

const isVerdict = (value: unknown): value is GateAnswer['verdict'] =>
  value === 'pass' || value === 'revise' || value === 'reject';
