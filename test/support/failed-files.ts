import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Writes the test files that failed into the file that `FAILED_FILES` names, a line each, for `.ci/run`. */
export default class FailedFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => relative(process.cwd(), moduleId));
    writeFileSync(process.env.FAILED_FILES!, failed.map((file) => `${file}\n`).join(''));
  }
}
