import type { JsonObject } from '../../model/json.js';
import { drawChart } from '../chart.js';
import { type Content, html, Markup } from './markup.js';

/** Charts of a page share their looks: the page's own style gives text and lines their colours, by day and by night. */
const config: JsonObject = {
  aria: false,
  background: 'transparent',
  font: 'system-ui, sans-serif',
  view: { stroke: null },
  axis: {
    labelFontSize: 11,
    titleFontSize: 11,
    titleFontWeight: 'normal',
    gridColor: '#d0d7de',
    domainColor: '#8c959f',
    tickColor: '#8c959f',
  },
  legend: { labelFontSize: 11, titleFontSize: 11, titleFontWeight: 'normal', orient: 'top', symbolOpacity: 1 },
  range: { category: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#999999', '#f0e442'] },
};

export interface FigureWords {
  /** A word for ids: each chart of a page has another. */
  readonly id: string;
  /** What a screen reader says in place of the picture. */
  readonly label: string;
  readonly caption: Content;
}

/** A chart with its caption. What cannot be drawn says so in its place. */
export async function figure(spec: JsonObject, { id, label, caption }: FigureWords): Promise<Markup> {
  const chart = await drawChart({ ...spec, config });
  const picture = chart.ok
    ? new Markup(ownIds(chart.value.svg, id))
    : html`<p>This chart could not be drawn: ${chart.error}</p>`;
  return html`<figure class="chart"><div class="scroll" role="img" aria-label="${label}" tabindex="0">${picture}</div><figcaption>${caption}</figcaption></figure>`;
}

/** Several pictures in one page must not share names. */
const ownIds = (svg: string, id: string): string =>
  svg
    .replace(/\bid="(clip|gradient)_?(\d+)"/g, `id="${id}-$1$2"`)
    .replace(/url\(#(clip|gradient)_?(\d+)\)/g, `url(#${id}-$1$2)`);
