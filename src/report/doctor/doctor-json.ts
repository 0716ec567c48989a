import type { Finding } from '../../model/finding.js';
import { findingWords } from './doctor-words.js';
import type { TellOptions } from './finding-words.js';

/** `doctor --json`: what was found, as data and in words. */
export const doctorJson = (findings: readonly Finding[], options: TellOptions): object => ({
  outcome: findings.some(({ standing }) => standing === 'wrong') ? 'failed' : 'passed',
  checks: findings.map((finding) => {
    const { what, fix } = findingWords(finding, options);
    return { ...finding, says: what, ...(fix === undefined || finding.standing === 'fine' ? {} : { fix }) };
  }),
});
