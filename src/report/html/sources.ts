import { type Place, type Reckoning, reckoningKey, reckoningWords } from '../history/reckoning.js';
import type { RunFacts } from '../history/run-facts.js';
import { trueMinus } from '../words/number-text.js';
import { type Content, fileHref, html, joined, type Markup } from './markup.js';

/** Remembers which lines a page refers to, so that it can show them itself. */
export class Sources {
  readonly lines = new Set<number>();
  /** Path → lines of it. */
  readonly fileLines = new Map<string, Set<number>>();
  /** What follows from several lines, with its text, by the key of it. */
  readonly reckonings = new Map<string, Reckoned>();
  readonly #facts: RunFacts;
  readonly #numbers = new Map<string, number>();

  constructor(facts: RunFacts) {
    this.#facts = facts;
  }

  /** Something that a line of the journal says. */
  journal(content: Content, line: number): Markup {
    return this.at(content, { line });
  }

  /** The moment that a line of the journal tells of, as people read it; the line has its thousandths. */
  time(at: string, line: number): Markup {
    return this.journal(html`<span class="at">${at.slice(0, 10)} ${at.slice(11, 19)} UTC</span>`, line);
  }

  /** Something that a line of a result says. */
  file(content: Content, path: string, line: number): Markup {
    return this.at(content, { path, line });
  }

  at(content: Content, place: Place): Markup {
    return html`<a class="from" href="${this.href(place)}" title="${placeName(place)}">${shown(content)}</a>`;
  }

  /** A number that stands nowhere but follows from lines: a count, a sum, a time between two of them. */
  follows(text: string, reckoning: Reckoning): Markup {
    return html`<a class="from" href="${this.href(reckoning, text)}" title="${reckoningWords(reckoning)}">${text}</a>`;
  }

  /** Words with numbers in them: the numbers lead to where they come from, and the words stay words. */
  words(text: string, from: Place | Reckoning): Markup {
    const link = (part: string): Markup => ('line' in from ? this.at(part, from) : this.follows(part, from));
    const parts = text.split(number);
    // Of a text full of numbers each as a link of its own would be hard to read, and heavy.
    if (parts.length > 2 * mostLinks) return link(text);
    return joined(parts.map((part, index) => (index % 2 === 1 ? link(part) : part)));
  }

  /** A link to a file of the project, or to a folder. */
  link(path: string, text = path): Markup {
    return html`<a class="file" href="${fileHref(this.#facts.toRoot, path)}">${text}</a>`;
  }

  /** Where on this page a line stands, which it then shows, or what follows from several. */
  href(from: Place | Reckoning, text = ''): string | undefined {
    if ('line' in from) return this.#lineHref(from);
    const key = reckoningKey(text, from);
    const { number } = this.reckonings.get(key) ?? { number: this.reckonings.size + 1 };
    this.reckonings.set(key, { ...from, text, number });
    return `#n${number}`;
  }

  #lineHref({ path, line }: Place): string {
    if (path === undefined) {
      this.lines.add(line);
      return `#j${line}`;
    }
    this.fileLines.set(path, (this.fileLines.get(path) ?? new Set<number>()).add(line));
    return `#f${this.numberOf(path)}-${line}`;
  }

  numberOf(path: string): number {
    const number = this.#numbers.get(path) ?? this.#numbers.size + 1;
    this.#numbers.set(path, number);
    return number;
  }
}

export interface Reckoned extends Reckoning {
  readonly text: string;
  readonly number: number;
}

/** Whatever is written in one go and has a digit in it, without the marks around it and with its unit: `95 %`, `3 m 10 s`. */
const number =
  /((?:(?![("'[])\S)*\d(?:\S*[^\s)"'\],.;:])?(?: (?:%|ms|[smhd])(?![\p{L}\d])(?: \d+ [smh](?![\p{L}\d]))?)?)/u;
const mostLinks = 12;

/** Numbers of whatever origin have one kind of minus; the line that they lead to is as it was written. */
const shown = (content: Content): Content => (typeof content === 'string' ? trueMinus(content) : content);

export const placeName = ({ path = 'journal.jsonl', line }: Place): string => `${path}:${line}`;

/** For pages that show no lines of their own: they say where something stands, and lead nowhere. */
export class NamedSources extends Sources {
  override at(content: Content, place: Place): Markup {
    return html`<span title="${placeName(place)}">${shown(content)}</span>`;
  }

  override follows(text: string, reckoning: Reckoning): Markup {
    return html`<span title="${reckoningWords(reckoning)}">${text}</span>`;
  }

  override href(): undefined {
    return undefined;
  }

  override link(path: string, text = path): Markup {
    return html`<code title="${path}">${text}</code>`;
  }
}

/** One part of a page. It answers with nothing where there is nothing to show. */
export type Section = (facts: RunFacts, sources: Sources) => SectionBody | undefined | Promise<SectionBody | undefined>;

export interface SectionBody {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}
