import type { JsonObject } from '../../model/json.js';
import type { Drawing, FigureWish, Reading } from '../../model/stage.js';
import { drawChart } from '../../report/chart.js';

/** Draws a chart in the forms asked for. What a form cannot show is no drawing: the others must not differ from it. */
export async function drawFigure(spec: JsonObject, { formats, scale }: FigureWish): Promise<Reading<Drawing>> {
  const chart = await drawChart({ ...spec, config: { ...looks, ...(spec.config as JsonObject | undefined) } });
  if (!chart.ok) return { ok: false, why: chart.error };
  const { svg, warnings } = chart.value;
  try {
    return {
      ok: true,
      value: {
        warnings,
        ...(formats.includes('svg') ? { svg } : {}),
        ...(formats.includes('pdf')
          ? { pdf: await (await import('../../adapters/figure/figure-pdf.js')).svgToPdf(svg) }
          : {}),
        ...(formats.includes('png')
          ? { png: await (await import('../../adapters/figure/figure-png.js')).svgToPng(svg, scale) }
          : {}),
      },
    };
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
}

/** For paper, unless the specification says otherwise; colours that most colour-blind readers tell apart. */
const looks: JsonObject = {
  background: 'white',
  font: 'DejaVu Sans, sans-serif',
  view: { stroke: null },
  range: { category: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#999999', '#f0e442'] },
};
