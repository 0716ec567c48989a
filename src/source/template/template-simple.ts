import type { TemplateNode } from './template-node.js';

const mustache = /\{\{(\{?)(\s*)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*(\}?)\}\}/y;
const keywords = /(?:^|\.)(?:this|else|true|false|null|undefined)(?:\.|$)/;

/**
 * Parses the templates that nearly everyone writes, text with plain names in it, without loading Handlebars: that alone
 * would cost a fifth of Node's own start-up. Undefined when the text holds anything else.
 */
export function parseSimple(text: string): readonly TemplateNode[] | undefined {
  const nodes: TemplateNode[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf('{{', at);
    if (open === -1) break;
    mustache.lastIndex = open;
    const match = mustache.exec(text);
    if (!match || text[open - 1] === '\\') return undefined;
    const [whole, opening, space, name, closing] = match as unknown as [string, string, string, string, string];
    if (opening.length !== closing.length || keywords.test(name)) return undefined;
    if (open > at) nodes.push({ kind: 'text', text: text.slice(at, open) });
    const start = open + 2 + opening.length + space.length;
    nodes.push({
      kind: 'value',
      raw: opening !== '',
      path: {
        parts: name.split('.'),
        depth: 0,
        data: false,
        scoped: false,
        written: name,
        within: [start, start + name.length],
      },
    });
    at = open + whole.length;
    if (text[at] === '}') return undefined;
  }
  if (at < text.length) nodes.push({ kind: 'text', text: text.slice(at) });
  return nodes;
}
