/** One style for reports: by day, by night and on paper. Colours never say something alone; there is always a word. */
export const style = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--panel:#f6f8fa;--link:#0550ae;
--good:#0f6b32;--good-bg:#dafbe1;--bad:#a40e26;--bad-bg:#ffebe9;--warn:#7d4e00;--warn-bg:#fff3c4;--busy:#0550ae;--busy-bg:#ddf4ff}
@media screen and (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;--panel:#161b22;--link:#79c0ff;
--good:#7ee2a0;--good-bg:#0f2f1b;--bad:#ffa7a0;--bad-bg:#3d1316;--warn:#f2cc60;--warn-bg:#332700;--busy:#79c0ff;--busy-bg:#0b2540}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0 auto;max-width:68rem;padding:1.5rem clamp(.8rem,3vw,2rem) 4rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:1.9rem;line-height:1.2;margin:.1rem 0 .6rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2.6rem 0 .8rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1rem 0 .4rem}
h4{font-size:.92rem;margin:.8rem 0 .3rem}
a{color:var(--link)}
a.from{color:inherit;text-decoration:underline dotted var(--soft);text-underline-offset:3px}
a.from:hover,a.from:focus-visible{color:var(--link);text-decoration-style:solid}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.kicker,.when,.caption,figcaption,small{color:var(--soft)}
.kicker{margin:0;font-size:.85rem}
.when,figcaption,.caption{font-size:.85rem}
.verdict{font-size:1.05rem}
.answer{border:1px solid var(--line);border-left:6px solid var(--soft);border-radius:6px;padding:.5rem .9rem;margin:.6rem 0;overflow-wrap:anywhere}
.answer.good{border-left-color:var(--good)}.answer.bad{border-left-color:var(--bad)}.answer.warn{border-left-color:var(--warn)}
.answer p{margin:.15rem 0}
.answer .asked{font-size:1.1rem;font-weight:600}
.asked small{font-weight:400}
nav{margin:1.2rem 0;font-size:.9rem}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none;margin:0;padding:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.4rem,1fr));gap:.6rem;margin:1rem 0}
.tile{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.6rem .75rem;display:flex;flex-direction:column;min-width:0}
.tile>span{color:var(--soft);font-size:.8rem}
.tile strong{font-weight:600;overflow-wrap:anywhere}
.tile small{display:block;font-weight:400;font-size:.8rem}
.badge{display:inline-block;white-space:nowrap;border-radius:4px;padding:0 .45em;font-size:.85em;font-weight:600;background:var(--panel);color:var(--soft)}
.badge.good{background:var(--good-bg);color:var(--good)}
.badge.bad{background:var(--bad-bg);color:var(--bad)}
.badge.warn{background:var(--warn-bg);color:var(--warn)}
.badge.busy{background:var(--busy-bg);color:var(--busy)}
.scroll{overflow-x:auto}
table.lines td:nth-child(3){white-space:nowrap}
table{border-collapse:collapse;width:100%;font-size:.88rem;margin:.5rem 0}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;white-space:nowrap}
.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td .outputs{font-size:.85rem;overflow-wrap:anywhere}
.task,code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:break-word}
code.raw{color:var(--soft);font-size:.8em;overflow-wrap:anywhere}
.card{border:1px solid var(--line);border-radius:6px;padding:.2rem .9rem .5rem;margin:.8rem 0}
.changed{border:2px solid var(--bad);border-left-width:8px;border-radius:6px;background:var(--bad-bg);padding:.3rem .9rem;margin:.8rem 0;overflow-wrap:anywhere}
.changed p,.changed ul{margin:.4rem 0}
.changed+figure{outline:2px dashed var(--bad);outline-offset:4px}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(16rem,1fr));gap:.5rem 1.2rem;margin:0}
dl div{min-width:0}
dt{color:var(--soft);font-size:.8rem}
dd{margin:0;overflow-wrap:anywhere}
ul.plain{list-style:none;padding:0}
ul.plain li{margin:.4rem 0}
code.value{overflow-wrap:anywhere}
@media(max-width:40rem){.scroll>table.wide,.scroll>table.lines,.scroll>table.reckoned{min-width:36rem}th{white-space:normal}th,td{padding:.3rem .35rem}.card{padding-inline:.6rem}
table.stacked tr{display:grid;grid-template-columns:1fr 1.5fr 1fr 1.2fr;border-bottom:1px solid var(--line);padding:.3rem 0}
table.stacked th,table.stacked td{border-bottom:0;padding:.1rem .3rem}table.stacked .long{grid-column:1/-1;overflow-wrap:anywhere}}
.at{white-space:nowrap}
table.reckoned th:nth-child(2){width:24%}table.reckoned th:nth-child(3){width:26%}table.reckoned th:last-child{width:36%}table.reckoned td{overflow-wrap:anywhere}table.reckoned td.num{white-space:normal;overflow-wrap:normal}
td.num a.from{white-space:nowrap}
pre.table{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.6rem;overflow-x:auto;font-size:.8rem}
figure{margin:.6rem 0 1.2rem}
figure svg{display:block;max-width:none}
.graph svg{max-width:max(100%,60rem);height:auto}
.chart svg{max-width:100%;min-width:34rem;height:auto}
.graph text{font-size:9.6px}
details>summary{cursor:pointer;margin:.4rem 0}
tr:target{background:var(--warn-bg)}
.chart text{fill:var(--ink)}
.chart .role-axis-grid line{stroke:var(--line)}
.chart .role-axis-domain line,.chart .role-axis-tick line{stroke:var(--soft)}
@media screen and (prefers-color-scheme:dark){
.graph text{fill:var(--ink)}
.graph [stroke="#4b5563"]{stroke:#9aa4af}.graph [fill="#4b5563"]{fill:#9aa4af}
.graph [fill="#dcfce7"]{fill:#12381f}.graph [fill="#ecfdf5"]{fill:#0d322e}.graph [fill="#fee2e2"]{fill:#4a1518}
.graph [fill="#ffedd5"]{fill:#46230b}.graph [fill="#fef9c3"]{fill:#3b3005}.graph [fill="#dbeafe"]{fill:#10294d}
.graph [fill="#f3f4f6"]{fill:#21262d}.graph [fill="#f9fafb"]{fill:#161b22}
.graph [stroke="#15803d"]{stroke:#3fb950}.graph [stroke="#0f766e"]{stroke:#2dd4bf}.graph [stroke="#b91c1c"]{stroke:#f85149}
.graph [stroke="#1d4ed8"]{stroke:#58a6ff}}
@media print{
:root{--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--panel:#fff;--link:#000;--good:#0f6b32;--good-bg:#fff;--bad:#a40e26;--bad-bg:#fff;--warn:#7d4e00;--warn-bg:#fff;--busy:#0550ae;--busy-bg:#fff;color-scheme:light}
body{max-width:none;padding:0;font-size:10pt}
nav{display:none}
.badge{border:1px solid currentColor}
.card,.answer,figure,tr,.tile{break-inside:avoid}
h2,h3{break-after:avoid}
figure svg,.graph svg,.chart svg{max-width:100%;min-width:0;height:auto}
details::details-content{content-visibility:visible;height:auto}
pre.table{white-space:pre-wrap}
.scroll>table,.scroll>table.wide,.scroll>table.lines,.scroll>table.reckoned{min-width:0}
.scroll{overflow:visible}
th,td{overflow-wrap:anywhere}
}
`;
