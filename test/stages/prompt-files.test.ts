import { promptFiles, promptFilesFacts } from 'autoresearch';
import { describe, expect, test } from 'vitest';
import { renderText } from '../../src/adapters/behaviours/render-text.js';

const told = (count: number): Promise<string> | string =>
  renderText(
    promptFiles,
    promptFilesFacts({ inputs: ['*.txt'], listFiles: () => Array.from({ length: count }, (_, at) => `f${at}.txt`) }),
  );

describe('the files that an agent is to read first', () => {
  test('are not mentioned where there are none', async () => {
    expect(await told(0)).toBe('');
  });

  test('are named, all of them', async () => {
    expect(await told(2)).toBe('\nFiles to read first:\n- f0.txt\n- f1.txt\n');
    expect(await told(200)).not.toContain('more');
  });

  test('are cut where nobody would read them, and that is said', async () => {
    const lines = (await told(10_000)).trimEnd().split('\n');
    expect(lines.length).toBe(2 + 200 + 1);
    expect(lines.slice(-2)).toEqual(['- f199.txt', '- … and 9800 more']);
  });
});
