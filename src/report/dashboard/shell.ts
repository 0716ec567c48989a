import { html } from '../html/markup.js';
import { style } from '../html/style.js';

export interface ShellWords {
  readonly name: string;
  readonly readOnly: boolean;
}

/** The frame of the dashboard; what is in it comes later, and again whenever the journal grows. */
export const dashboardShell = ({ name, readOnly }: ShellWords): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name} · autoresearch</title>
<link rel="stylesheet" href="/style.css">
<script src="/app.js" defer></script>
</head>
<body data-read-only="${readOnly ? 'yes' : 'no'}">
<a class="skip" href="#view">Skip to the run</a>
<header class="bar"><strong>${name}</strong> <label>Run <select id="runs"></select></label> <span id="live" role="status" aria-live="polite">loading</span>${readOnly && html` <span class="badge idle">– only shows</span>`}</header>
<div id="top"></div>
<div id="gates" aria-live="polite"></div>
<nav aria-label="Views"><ul id="tabs">${tabs.map(([id, title]) => html`<li><a href="#${id}" data-view="${id}">${title}</a></li>`)}</ul></nav>
<main id="view" tabindex="-1"></main>
<noscript>The dashboard needs its script. <code>autoresearch report</code> makes a page that needs none.</noscript>
</body>
</html>
`.text;

const tabs: readonly (readonly [id: string, title: string])[] = [
  ['graph', 'Graph'],
  ['tasks', 'Tasks'],
  ['logs', 'Logs'],
  ['timeline', 'Timeline'],
  ['loop', 'Iterations'],
  ['curves', 'Metrics'],
  ['comparison', 'Comparison'],
  ['trouble', 'What did not work'],
  ['spend', 'Spend'],
  ['checks', 'Checks'],
  ['environment', 'Environment'],
];

export const dashboardStyle = `${style}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.3rem .6rem;z-index:2}
.bar{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:center;margin-bottom:.6rem}
select{max-width:100%}.bar label{max-width:100%}
#top header h1{font-size:1.4rem}
nav a[aria-current]{font-weight:700;text-decoration:none;color:var(--ink);border-bottom:2px solid var(--link)}
select,input,button,textarea{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--line);border-radius:5px;padding:.25rem .6rem}
button{cursor:pointer;background:var(--panel)}
button.good{color:var(--good);border-color:var(--good)}button.bad{color:var(--bad);border-color:var(--bad)}
form.answer{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.5rem 0}
form.answer textarea{flex:1 1 18rem;min-height:2.4rem}
form.filter{display:flex;flex-wrap:wrap;gap:.6rem;margin:.4rem 0}
pre.log{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.7rem;max-height:60vh;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.82rem}
pre.log:empty::before{content:"nothing was printed";color:var(--soft)}
main:focus{outline:none}
`;
