import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';

const exec = ['exec', '--reporter', 'plain'] as const;

/** What a reader reads, in one line for each row of a table. */
const textOf = (page: string): string =>
  page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<\/?(td|th|div|p|strong|small)\b[^>]*>/g, ' ')
    .replace(/<[^>]+>/g, '')
    .replace(/ {2,}/g, ' ');

const sectionOf = (page: string): string => /<section id="loop">.*?<\/section>/s.exec(page)![0];
const rowsOf = (page: string): string[] =>
  [...sectionOf(page).matchAll(/<tr><td.*?<\/tr>/gs)].map(([row]) =>
    textOf(row)
      .replace(/\b[\da-f]{12}\b/, 'COMMIT')
      .replace(/\b(\d+)-[a-z\d]{4}\b/, '$1')
      .replace(/\d+\.\d s/g, 'TIME')
      .trim(),
  );

const pageOf = async (project: LoopProject, ...args: string[]): Promise<string> =>
  readFileSync((await project.run('report', ...args)).stdout.trim(), 'utf8');

describe('the report of a loop', () => {
  it('shows every iteration with its number, verdict and reason, the best, the curve and why it ended', async () => {
    const project = new LoopProject(['0.5', '0.7', 'bad', '0.4'], { iterate: { max: 4, repeats: 2 } });
    expect((await project.run(...exec)).code).toBe(0);
    const page = await pageOf(project);
    const changed = (number: number) => `COMMIT on auto/default-iter-${number}-1, patch`;
    expect(rowsOf(page)).toEqual([
      'baseline ✓ kept 1 1 the baseline, measured 2 times, noise floor 0 measured: 1, 1 run 2 TIME',
      `1 ✓ kept 0.5 0.5 loss is 0.5 after 1: won 0.5 run 3, ${changed(1)} TIME`,
      `2 ! discarded 0.7 0.5 loss is 0.7 after 0.5: no better than the best run 4, ${changed(2)} TIME`,
      `3 ✗ failed none 0.5 train: exited with code 1 run 5, ${changed(3)} TIME`,
      `4 ✓ kept ✓ best 0.4 0.4 loss is 0.4 after 0.5: won 0.1 run 6, ${changed(4)} TIME`,
    ]);
    const words = textOf(sectionOf(page));
    expect(words).toMatch(
      /Series 1: 4 iterations decided: 2 kept, 1 discarded, 1 failed\. It ended \S+ \S+ UTC because 4 iterations were made\./,
    );
    expect(words).toContain('✓ best loss 0.4, iteration 4, commit ');
    expect(words).toContain('What counts is loss of measure, lower is better.');
    // Drawn by the library: a line, and a mark for each point, those that failed at the bottom.
    const label =
      'baseline 1 kept; iteration 1 0.5 kept; iteration 2 0.7 discarded; iteration 4 0.4 kept; without a number: 3';
    expect(page).toContain(`aria-label="loss over iterations. ${label}"`);
    const chart = /<figure class="chart">.*?<\/figure>/s.exec(sectionOf(page))![0];
    expect(chart.match(/mark-line/g)).toHaveLength(1);
    expect([...chart.matchAll(/mark-symbol role-mark.*?<\/g>/gs)].map(([all]) => all.match(/<path/g)?.length)).toEqual([
      4, 1,
    ]);
    // The top says what became of this very iteration.
    const older = textOf(await pageOf(project, '--run', '4'));
    expect(older).toContain('! discarded loss is 0.7 after 0.5: no better than the best.');
    expect(textOf(page)).toContain('Best of the loop loss 0.4');
  });

  it('is told in text and as data too', async () => {
    const project = new LoopProject(['0.5', '0.7'], { iterate: { max: 2 } });
    expect((await project.run(...exec)).code).toBe(0);
    const said = [
      'loop, series 1: 2 iterations decided, 1 kept; ended because 2 iterations were made',
      expect.stringMatching(/^best: loss 0\.5, iteration 1, run 2-\w{4}, commit [\da-f]{12}$/),
      'this one: discarded, loss is 0.7 after 0.5: no better than the best',
    ];
    const { loop, run } = JSON.parse((await project.run('report', '--json')).stdout);
    expect(loop).toMatchObject({ record: '.autoresearch/default/iterations.jsonl', lines: 14, words: said });
    expect(
      loop.iterations.map((one: { [name: string]: unknown }) => [
        one.iteration,
        one.verdict,
        one.value,
        one.best,
        one.why,
      ]),
    ).toEqual([
      [0, 'kept', 1, 1, 'the baseline, measured once'],
      [1, 'kept', 0.5, 0.5, 'loss is 0.5 after 1: won 0.5'],
      [2, 'discarded', 0.7, 0.5, 'loss is 0.7 after 0.5: no better than the best'],
    ]);
    expect(loop.standing).toEqual(JSON.parse((await project.run('status', '--json')).stdout).loop);
    const text = (await project.run('report', '--text')).stdout.split('\n').map((line) => line.trim());
    expect(text.slice(-4)).toEqual([...said, '']);
    // What exec left behind says the same: it is written once more when the loop has ended.
    const left = project.read(`.autoresearch/default/runs/${run}/execution.md`);
    expect(left).toContain(`## Loop\n\n- ${said[0]}\n`);
    // A run of no loop has none.
    expect(left).not.toContain('not known lines');
  });

  it('is the last line of exec where the config asks for a page, and verify holds it against the record as it was then', async () => {
    const project = new LoopProject(['0.5', '0.7', '0.4'], { iterate: { max: 2 }, head: { report: { html: true } } });
    const { stdout, code } = await project.run(...exec);
    expect(code).toBe(0);
    const file = stdout.trimEnd().split('\n').at(-1)!;
    expect(file).toMatch(/runs\/3-\w{4}\/report\.html$/);
    const page = readFileSync(file, 'utf8');
    expect(textOf(page)).toContain('because 2 iterations were made');
    // Nothing to do: the same page is still the last line.
    expect((await project.run(...exec)).stdout.trimEnd().split('\n').at(-1)).toBe(file);
    expect(readFileSync(file, 'utf8')).toBe(page);
    expect((await project.run(...exec, '--quiet')).stdout).not.toContain('report.html');

    // The loop goes on: the older page stays what it was, and stands.
    project.write('autoresearch.config.json', project.read('autoresearch.config.json').replace('"max":2', '"max":3'));
    project.commit('more');
    expect((await project.run(...exec)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(page);
    for (const run of ['1', '2', '3', '4']) {
      const { stdout: said } = await project.run('verify', '--run', run, '--verbose');
      expect(said.match(/[✓✗] report .*/g), run).toEqual(
        ['execution.json', 'execution.md', 'report.html'].map(
          (name) => `✓ report     ${name}: what journal and results make of it`,
        ),
      );
    }
    const newest = textOf(sectionOf(await pageOf(project)));
    expect(newest).toContain('It was gone on with after it had ended because 2 iterations were made.');

    // Whoever makes an iteration look better, or leaves one out, is found; also who claims that there were other lines.
    const spoilt: readonly (readonly [RegExp, string])[] = [
      [/(iterations\.jsonl:\d+">)0\.7</, '$10.3<'],
      [/<tr><td class="num"><a[^>]*>2<\/a>.*?<\/tr>\n/s, ''],
      [/<p data-lines="\d+"/, '<p data-lines="9"'],
      [/<p data-lines="\d+"/, '<p data-lines="900"'],
      [/<p data-lines="\d+"/, '<p'],
      [/<section id="loop">.*?<\/section>\n/s, ''],
    ];
    for (const [what, by] of spoilt) {
      expect(page.replace(what, by), String(what)).not.toBe(page);
      writeFileSync(file, page.replace(what, by));
      const found = await project.run('verify', '--run', '3');
      expect([found.code, found.stdout], String(what)).toEqual([
        1,
        expect.stringMatching(/✗ report +report\.html: line \d+ is not what journal and results make of it/),
      ]);
    }
    writeFileSync(file, page);
    const data = file.replace('report.html', 'execution.json');
    writeFileSync(data, readFileSync(data, 'utf8').replace('"value": 0.7', '"value": 0.3'));
    expect((await project.run('verify', '--run', '3')).stdout).toContain(
      'execution.json: loop.iterations[2].value is 0.3, and journal and results make 0.7 of it',
    );
  });

  it('keeps a baseline that failed, an open iteration and earlier series in sight', async () => {
    const project = new LoopProject(['0.5'], { iterate: { max: 1 }, files: { 'value.txt': 'bad\n' } });
    expect((await project.run(...exec)).code).toBe(1);
    const first = await pageOf(project);
    expect(rowsOf(first)).toEqual(['baseline ✗ failed none none train: exited with code 1 run 1 TIME']);
    expect(textOf(sectionOf(first))).toContain('Series 1: 0 iterations decided. It has not ended.');
    expect(sectionOf(first)).not.toContain('<figure');
    project.write('value.txt', '1.0\n');
    project.commit('mended');
    expect((await project.run(...exec)).code).toBe(0);
    const mended = await pageOf(project);
    expect(rowsOf(mended).map((row) => row.split(' ').slice(0, 3).join(' '))).toEqual([
      'baseline ✗ failed',
      'baseline ✓ kept',
      '1 ✓ kept',
    ]);

    // Another series that waits for a person in its first iteration.
    const gated = JSON.parse(project.read('autoresearch.config.json'));
    gated.stages.edit.gate = 'human';
    project.write('autoresearch.config.json', JSON.stringify(gated));
    project.commit('gated');
    expect((await project.run(...exec, '--new')).code).toBe(3);
    const page = await pageOf(project);
    expect(rowsOf(page).map((row) => row.replace(/\d{4}-\S+ \S+ UTC/, 'THEN'))).toEqual([
      'baseline ✓ kept ✓ best 0.5 0.5 the baseline, measured once run 4 TIME',
      '1 ↻ open begun THEN, not decided',
      'baseline ✗ failed none none train: exited with code 1 run 1 TIME',
      'baseline ✓ kept 1 1 the baseline, measured once run 2 TIME',
      expect.stringMatching(/^1 ✓ kept ✓ best 0\.5 0\.5 loss is 0\.5 after 1: won 0\.5 run 3, /),
    ]);
    expect(textOf(sectionOf(page))).toContain('It has not ended: an iteration is open.');
    expect(textOf(sectionOf(page))).toContain('Series 1: 1 iteration decided: 1 kept');
  });

  it('tells nothing from a record that was changed, and says so', async () => {
    const project = new LoopProject(['0.5'], { iterate: { max: 1 } });
    expect((await project.run(...exec)).code).toBe(0);
    const text = readFileSync(project.recordFile, 'utf8');
    writeFileSync(project.recordFile, text.replace('"value":0.5', '"value":0.1'));
    const page = await pageOf(project);
    expect(textOf(sectionOf(page))).toMatch(
      /✗ not told The record of the loop \(\.autoresearch\/default\/iterations\.jsonl\) cannot be believed: line \d+: the line does not match its hash/,
    );
    expect(page).not.toContain('0.1</a>');
    const { loop } = JSON.parse((await project.run('report', '--json')).stdout);
    expect(loop).toMatchObject({ lines: 0, iterations: [], standing: { problem: expect.stringContaining('hash') } });
    // Cut short, each line of it is still right.
    writeFileSync(project.recordFile, `${text.split('\n').slice(0, 6).join('\n')}\n`);
    expect(textOf(sectionOf(await pageOf(project)))).toContain(
      'cannot be believed: it ended at line 10, and has only 6.',
    );
  });

  it('lets nothing be markup that an agent says of what it tried, and never takes unknown cost for nothing', async () => {
    const hostile = `</code><script>window.pwned=1</script><img src=x onerror="1"> | [x](javascript:1)`;
    const project = new LoopProject([], {
      iterate: { max: 1 },
      head: { agents: { coder: { backend: 'command', run: './coder.sh', family: 'meta' } } },
      stages: { edit: { uses: 'agent', agent: 'coder', with: { instructions: 'Better.' }, outputs: ['value.txt'] } },
      files: {
        'coder.sh': `#!/bin/sh\necho 0.5 > value.txt\ncat <<'END'\n${JSON.stringify({ outcome: 'done', summary: hostile })}\nEND\n`,
      },
    });
    chmodSync(join(project.dir, 'coder.sh'), 0o755);
    project.commit('may be run');
    expect((await project.run(...exec)).code).toBe(0);
    const page = await pageOf(project);
    expect(page).not.toMatch(/<script|<img/);
    expect(sectionOf(page)).toMatch(/tried: <a class="from"[^>]*>&lt;\/code&gt;&lt;script&gt;window\.pwned=1/);
    expect(textOf(sectionOf(page))).toContain(' of work in 2 runs, for 1 call of unknown cost.');
    expect(rowsOf(page)[1]).toMatch(/unknown \(1 call\)$/);
  });
});

describe('verify of an older iteration', () => {
  it('does not hold its record against results that a later one made anew, and all the rest of it still', async () => {
    const train = 'sh train.sh && echo "{\\"step\\":1,\\"loss\\":$(cat value.txt)}" > curve.jsonl';
    const project = new LoopProject(['0.5', '0.4'], {
      iterate: { max: 2 },
      stages: {
        train: {
          uses: 'command',
          needs: ['edit'],
          with: { run: train },
          inputs: ['value.txt'],
          outputs: ['log.txt', 'ran', 'curve.jsonl'],
        },
      },
      files: { '.gitignore': '.autoresearch/\nlog.txt\nresult.json\nran\nlogs/\niterations/\ninsights.md\n*.jsonl\n' },
    });
    expect((await project.run(...exec)).code).toBe(0);
    const { code, stdout } = await project.run('verify', '--run', '2', '--verbose');
    const since = 'curve\\.jsonl, made anew since by iteration 2 of 2, run 3-\\w{4}';
    expect(stdout).toMatch(
      new RegExp(`✓ report +execution\\.json: what the journal makes of it; not compared with ${since}\n`),
    );
    expect(stdout).toMatch(new RegExp(`✓ report +execution\\.md: not compared with ${since}\n`));
    expect(code).toBe(0);
    const data = `.autoresearch/default/runs/${/run (2-\w{4})/.exec(stdout)![1]}/execution.json`;
    const text = project.read(data);
    project.write(data, text.replace('"workedMs": ', '"workedMs": 9'));
    const found = await project.run('verify', '--run', '2');
    expect([found.code, found.stdout]).toEqual([1, expect.stringMatching(/✗ report +execution\.json: workedMs is 9/)]);
    // Somebody else's file in that place is nobody's later result.
    project.write(data, text);
    project.write('curve.jsonl', '{"step":1,"loss":0}\n');
    expect((await project.run('verify', '--run', '2')).stdout).toMatch(/✗ report +execution\.md: line \d+ is not what/);
  });
});
