// Takes the picture of a run at a terminal for the README: the example research, in the middle, as tmux shows it.
// Usage: node scripts/terminal-image.mjs (needs tmux; writes docs/img/exec.svg)
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const [columns, lines] = [92, 16];
const colours = { 31: '#f47067', 32: '#57ab5a', 33: '#c69026', 36: '#39c5cf', 90: '#8b949e' };
const folder = mkdtempSync(join(tmpdir(), 'terminal-image-'));
const tmux = (...args) =>
  execFileSync('tmux', ['-f', '/dev/null', '-S', join(folder, 'socket'), ...args], { encoding: 'utf8' });
const command = `TERM=xterm-256color ${process.execPath} ${resolve('dist/bin.cjs')} exec --new`;
cpSync('autoresearch.config.ts', join(folder, 'autoresearch.config.ts'));
const filter = (path) => !path.endsWith('experiment/results');
cpSync('experiment', join(folder, 'experiment'), { recursive: true, filter });
try {
  tmux('new-session', '-d', '-c', folder, '-x', String(columns), '-y', String(lines), command);
  let screen = '';
  for (let turn = 0; turn < 600 && !/ (9|1\d) of \d+ done.*▶ train/s.test(plain(screen)); turn += 1) {
    await wait(50);
    screen = tmux('capture-pane', '-p', '-e');
  }
  writeFileSync('docs/img/exec.svg', drawn(screen.trimEnd().split('\n')));
} finally {
  tmux('kill-server');
  rmSync(folder, { recursive: true, force: true });
}

function plain(text) {
  return text.replaceAll(/\u001b\[[\d;]*m/g, '');
}

/** Light letters on a dark ground, by day and by night. */
function drawn(rows) {
  const [width, height] = [columns * 8.43 + 32, rows.length * 20 + 32];
  const texts = rows.map((row, at) => `<text x="16" y="${at * 20 + 32}" xml:space="preserve">${pieces(row)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.round(width)}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d4d4d4">
<title>The example research in the middle of a run</title>
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
${texts.join('\n')}
</svg>
`;
}

function pieces(row) {
  let style = '';
  let made = '';
  // What is split by a pattern with a group has the group's words at every second place.
  row.split(/\u001b\[([\d;]*)m/).forEach((part, at) => {
    if (at % 2 === 1) style = styleOf(part, style);
    else if (part !== '') made += style === '' ? escaped(part) : `<tspan ${style}>${escaped(part)}</tspan>`;
  });
  return made;
}

function styleOf(codes, before) {
  let style = before;
  for (const code of codes.split(';')) {
    if (code === '' || code === '0' || code === '39' || code === '22') style = '';
    else if (code === '1') style = 'font-weight="bold" fill="#ffffff"';
    else if (code === '2') style = 'fill="#8b949e"';
    else if (colours[code]) style = `fill="${colours[code]}"`;
  }
  return style;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
