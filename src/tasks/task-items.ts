import { posix } from 'node:path';
import type { TaskItem } from '../model/agents/task-item.js';
import type { TaskList } from './task-list.js';

/** The tasks of a list as a plan holds them: without places, and with the file that each has to leave behind. */
export const itemsOf = ({ tasks }: TaskList): readonly TaskItem[] =>
  tasks.map(({ wave: _wave, place: _place, written: _written, steps, ...task }) => ({
    ...task,
    steps: steps.map(({ place: _at, ...step }) => step),
    summary: posix.join(posix.dirname(task.file), `${task.id.replace(/[^\w.+-]+/g, '_')}-SUMMARY.md`),
  }));
