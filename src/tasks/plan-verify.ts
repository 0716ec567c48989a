import { fencesOf } from './fences.js';
import type { Piece } from './frontmatter.js';
import { fieldsOf } from './plan-body.js';

export interface Checks {
  /** Texts that are marked as something for a shell. */
  readonly commands: readonly string[];
  /** The rest, for whoever judges. */
  readonly prose: string | undefined;
}

/**
 * What a `<verify>` says. Most authors write sentences there, and a sentence must not get into a shell, so only these are
 * commands: `<automated>`, fenced blocks of shell, and lines that are one `code span` and nothing else.
 */
export function checksOf(piece: Piece): Checks {
  const fields = fieldsOf(piece);
  const automated = fields.filter(({ tag }) => tag === 'automated').map(({ text }) => decode(text).trim());
  if (automated.length > 0) {
    const prose = fields.filter(({ tag }) => tag !== 'automated').map(({ text }) => text.trim());
    return checks(automated, prose.join('\n'));
  }
  const text = piece.text.replaceAll('\r\n', '\n');
  const commands: string[] = [];
  let outside = '';
  let after = 0;
  for (const { start, end, language, inner } of fencesOf(text)) {
    if (!shells.includes(language.toLowerCase())) continue;
    outside += text.slice(after, start);
    after = end;
    commands.push(withoutPrompts(inner));
  }
  outside += text.slice(after);
  const rest = outside.replace(
    /^[ \t]*(?:[-*]|\d+[.)])?[ \t]*(?:\[.\][ \t]*)?`([^`\n]+)`[ \t]*$/gm,
    (_, command: string) => {
      commands.push(command);
      return '';
    },
  );
  return checks(commands, rest);
}

const checks = (commands: readonly string[], prose: string): Checks => ({
  commands: commands.map((command) => command.trim()).filter((command) => command !== ''),
  prose: prose.trim() || undefined,
});

const shells = ['', 'sh', 'bash', 'shell', 'console', 'zsh'];

const withoutPrompts = (block: string): string => block.replace(/^[ \t]*\$ /gm, '');

const entities: { readonly [name: string]: string } = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The tags look like XML, so some authors write `&amp;&amp;`; others do not, and a bare `&` stays as it is. */
const decode = (text: string): string => text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => entities[name]!);
