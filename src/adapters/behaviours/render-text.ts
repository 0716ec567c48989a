import { FailureError } from '../../model/failure.js';
import type { JsonObject } from '../../model/json.js';
import { loadTemplates, type Templates } from '../../source/template/template.js';

let templates: Promise<Templates> | undefined;

/** Renders a template of a behaviour strictly; what is wrong with it fails the attempt, with the line. */
export async function renderText(template: string, data: JsonObject): Promise<string> {
  templates ??= loadTemplates();
  const rendered = (await templates).renderText(template, data);
  if (rendered.ok) return rendered.value;
  const detail = rendered.error
    .map(({ message, within }) => (within ? `line ${lineOf(template, within[0])}: ${message}` : message))
    .join('; ');
  throw new FailureError({ code: 'behaviour-failed', detail });
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
