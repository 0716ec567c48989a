import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.js';
import { dotGraph } from '../../src/report/graph/graph-dot.js';
import { mermaidGraph } from '../../src/report/graph/graph-mermaid.js';
import { svgGraph } from '../../src/report/graph/graph-svg.js';
import { planGraph } from '../../src/report/plan/plan-graph.js';
import { golden } from './golden.js';
import { decideAll, samplePlan, sampleTask, study, unchanged } from './sample-plan.js';

/** Names that end a string, a node, a comment or a tag in one of the forms. */
const hostile = [
  'a"b',
  'end',
  '</text><script>x</script>',
  'back\\slash\\',
  '-->',
  'x]:::run',
  '#quot;',
  '`md`',
  'n0',
  "it's & <b>",
  'new\nline',
  '&lt;',
  '数据',
];

function hostilePlan(): Plan {
  const first = hostile.map((name) => sampleTask(`s:v=${name}`, { stage: name }));
  return samplePlan([first, [sampleTask('last', { needs: first.map(({ id }) => id), gate: 'human' })]], {
    name: 'odd "names" </svg>',
  });
}

describe('the three forms', () => {
  test('mermaid', async () => {
    const { plan, decisions } = study();
    await golden('graph.mmd', mermaidGraph(plan, decisions));
  });

  test('dot', async () => {
    const { plan, decisions } = study();
    await golden('graph.dot', dotGraph(plan, decisions));
  });

  test('svg', async () => {
    const { plan, decisions } = study();
    const svg = await svgGraph(plan, decisions);
    await golden('graph.svg', svg);
    expect(await svgGraph(plan, decisions)).toBe(svg);
  });
});

describe('hostile names', () => {
  test('mermaid holds them as entities', async () => {
    const plan = hostilePlan();
    await golden('graph-hostile.mmd', mermaidGraph(plan, decideAll(plan)));
  });

  test('dot holds them between quotes, and Graphviz reads them back', async () => {
    const plan = hostilePlan();
    const dot = dotGraph(plan, decideAll(plan));
    await golden('graph-hostile.dot', dot);
    const svg = await svgGraph(plan, decideAll(plan));
    expect(svg).not.toContain('<script');
    expect(elements(svg)).toEqual(elements(await svgGraph(plainTwin(plan), decideAll(plainTwin(plan)))));
    expect(svg).toContain('<title>s:v=back\\slash\\</title>');
    expect(svg).toContain('>s:v=&amp;lt;</text>');
  });

  test('svg is well formed, with a title and a description for screen readers', async () => {
    const plan = hostilePlan();
    const svg = await svgGraph(plan, decideAll(plan));
    expect(svg).toContain('<svg role="img" aria-labelledby="plan-title plan-desc" ');
    expect(svg).toContain('<title id="plan-title">odd &#34;names&#34; &#60;/svg&#62;</title>');
    expect(svg).toContain('<desc id="plan-desc">14 tasks in 2 waves: 14 to run</desc>');
    expect(() => elements(svg)).not.toThrow();
  });
});

describe('large plans', () => {
  test('over 200 tasks are folded to stages', async () => {
    const train = Array.from({ length: 300 }, (_, seed) =>
      sampleTask(`train:seed=${seed}`, { needs: ['data'], gate: 'auto' }),
    );
    const plan = samplePlan([[sampleTask('data')], train, [sampleTask('sum', { needs: train.map(({ id }) => id) })]]);
    const decisions = decideAll(plan);
    for (const { id } of train.slice(0, 100)) decisions.set(id, unchanged);
    await golden('graph-folded.mmd', mermaidGraph(plan, decisions));
  });

  test('over 200 stages are folded to waves, and over 200 waves to groups of them', () => {
    const wide = samplePlan([
      Array.from({ length: 500 }, (_, index) => sampleTask(`s${index}`)),
      [sampleTask('end', { needs: ['s1'] })],
    ]);
    expect(planGraph(wide, decideAll(wide)).nodes.map(({ label }) => label)).toEqual([
      ['wave 1', '500 tasks: 500 to run'],
      ['wave 2', '1 task: 1 to run'],
    ]);
    const chain = samplePlan(
      Array.from({ length: 1001 }, (_, index) => [
        sampleTask(`s${index}`, { needs: index === 0 ? [] : [`s${index - 1}`] }),
      ]),
    );
    const { nodes, edges } = planGraph(chain, decideAll(chain));
    expect(nodes).toHaveLength(167);
    expect(nodes[0]?.label).toEqual(['waves 1 to 6', '6 tasks: 6 to run']);
    expect(nodes.at(-1)?.label).toEqual(['waves 997 to 1001', '5 tasks: 5 to run']);
    expect(edges).toHaveLength(166);
  });

  test('a folded edge is dashed only when nobody wrote it down', () => {
    const a = ['a:n=1', 'a:n=2'].map((id) => sampleTask(id));
    const padding = Array.from({ length: 200 }, (_, index) => sampleTask(`pad:n=${index}`));
    const b = sampleTask('b', { needs: ['a:n=1', 'a:n=2'], inferred: [{ task: 'a:n=1', via: 'x' }] });
    const c = sampleTask('c', { needs: ['a:n=1'], inferred: [{ task: 'a:n=1', via: 'x' }] });
    const plan = samplePlan([
      [...a, ...padding],
      [b, c],
    ]);
    expect(planGraph(plan, decideAll(plan)).edges).toEqual([
      { from: 'n0', to: 'n2', inferred: false },
      { from: 'n0', to: 'n3', inferred: true },
    ]);
  });
});

/** The tags of an XML text in order; throws when they do not nest. */
function elements(xml: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  for (const [tag, close, name, rest] of xml.matchAll(/<(\/?)([a-z]+)((?:"[^"]*"|[^">])*)>/g)) {
    if (close) {
      if (open.pop() !== name) throw new Error(`${tag} closes something else`);
    } else {
      seen.push(name!);
      if (!rest!.endsWith('/')) open.push(name!);
    }
  }
  if (open.length > 0) throw new Error(`left open: ${open.join(' ')}`);
  return seen;
}

/** The same plan with harmless names, but for the one that has two lines. */
function plainTwin(plan: Plan): Plan {
  const plain = (id: string): string =>
    id.includes('\n') ? 'two\nlines' : id.startsWith('s:v=') ? `plain${hostile.indexOf(id.slice(4))}` : id;
  return {
    ...plan,
    name: 'plain',
    waves: plan.waves.map((wave) => wave.map(plain)),
    tasks: plan.tasks.map((task) => ({ ...task, id: plain(task.id), needs: task.needs.map(plain) })),
  };
}
