/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// The dashboard in the browser. It decides nothing and makes no markup: what it shows was made by the server, escaped.

const token = new URLSearchParams(location.search).get('token') ?? '';
const part = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const shown = new Map<string, string>();
let run = '';
let events: EventSource | undefined;
let wish = new URLSearchParams();
let log = { task: '', next: 0 };
let busy = false;
let dirty = false;
/** The field of the view's form that somebody has just sent: they are still there when the answer has come. */
let goBackTo: string | undefined;

const view = (): string => location.hash.slice(1) || 'graph';
const address = (path: string, more: Record<string, string> = {}): string => {
  const [agent = '', id = ''] = run.split(' ');
  return `${path}?${new URLSearchParams({ agent, run: id, ...more })}`;
};
const ask = (path: string): Promise<Response> => fetch(path, { headers: { 'x-autoresearch-token': token } });

/** Only what is new is put in, so that nobody loses their place, their text or their focus for nothing. */
async function put(id: string, path: string): Promise<void> {
  const answer = await ask(path);
  const text = answer.ok ? await answer.text() : '';
  if (shown.get(id) === text) return;
  const target = part(id);
  if (id === 'gates' && target.contains(document.activeElement) && text !== '') {
    const waiting = [...target.querySelectorAll<HTMLElement>('form')].every(({ dataset }) =>
      text.includes(String(dataset.question)),
    );
    if (waiting) return;
  }
  const isIn = target.contains(document.activeElement) && document.activeElement?.closest('form');
  if (id === 'view' && isIn && goBackTo === undefined) return;
  const open = [...target.querySelectorAll('details')].map((details) => details.open);
  shown.set(id, text);
  target.innerHTML = text;
  [...target.querySelectorAll('details')].forEach((details, at) => {
    if (open[at] !== undefined) details.open = open[at];
  });
  if (id === 'view' && goBackTo !== undefined) target.querySelector<HTMLElement>(`[name="${goBackTo}"]`)?.focus();
}

async function refresh(): Promise<void> {
  if (busy) {
    dirty = true;
    return;
  }
  busy = true;
  try {
    for (const link of document.querySelectorAll('#tabs a'))
      if ((link as HTMLElement).dataset.view === view()) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    await put('top', address('/view', { name: 'top' }));
    await put('gates', address('/gates'));
    if (view() !== 'logs' || !document.getElementById('log')) {
      const asked = wish;
      await put('view', address('/view', { name: view(), ...Object.fromEntries(asked) }));
      // An answer to an older question is not what they wait for.
      if (asked === wish) goBackTo = undefined;
    }
  } catch {
    part('live').textContent = 'the dashboard has ended';
  } finally {
    busy = false;
  }
  if (dirty) {
    dirty = false;
    void refresh();
  }
}

function follow(): void {
  events?.close();
  shown.clear();
  log = { task: '', next: 0 };
  events = new EventSource(address('/events', { token }));
  events.onmessage = ({ data }) => {
    part('live').textContent = data;
    void refresh();
  };
  events.onerror = () => {
    part('live').textContent = 'not connected';
  };
}

async function listRuns(): Promise<void> {
  const answer = await ask('/runs');
  if (!answer.ok) {
    part('live').textContent = await answer.text();
    return;
  }
  const runs = (await answer.json()) as { agent: string; run: string; words: string }[];
  const select = part<HTMLSelectElement>('runs');
  const values = runs.map(({ agent, run: id }) => `${agent} ${id}`);
  select.replaceChildren(
    ...runs.map(({ words }, at) => {
      const option = document.createElement('option');
      option.value = values[at]!;
      option.textContent = words;
      return option;
    }),
  );
  if (!values.includes(run)) {
    run = values[0] ?? '';
    if (run !== '') follow();
    else part('live').textContent = 'there is no run yet';
  }
  select.value = run;
}

async function followLog(): Promise<void> {
  const select = document.getElementById('log-task') as HTMLSelectElement | null;
  const output = document.getElementById('log');
  if (!select || !output) return;
  if (log.task !== select.value) {
    log = { task: select.value, next: 0 };
    output.textContent = '';
  }
  const answer = await ask(address('/log', { task: log.task, from: String(log.next) }));
  if (!answer.ok) return;
  const { text, next } = (await answer.json()) as { text: string; next: number };
  if (next < log.next) output.textContent = '';
  log = { ...log, next };
  if (text === '') return;
  const atEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 20;
  output.append(text);
  if (atEnd) output.scrollTop = output.scrollHeight;
}

/** A form that somebody is in is not replaced. Whoever goes by the keyboard goes on from the view, not from the top of the page. */
const leaveForm = (): void => part('view').focus({ preventScroll: true });

async function answerGate(form: HTMLFormElement, verdict: string): Promise<void> {
  const said = form.querySelector('.said')!;
  for (const button of form.querySelectorAll('button')) button.disabled = true;
  said.textContent = 'sending';
  const [agent = '', id = ''] = run.split(' ');
  const { task, question } = form.dataset;
  const text = (form.elements.namedItem('text') as HTMLTextAreaElement).value;
  try {
    const answer = await fetch('/answer', {
      method: 'POST',
      headers: { 'x-autoresearch-token': token, 'content-type': 'application/json' },
      body: JSON.stringify({ agent, run: id, task, question, verdict, text }),
    });
    said.textContent = await answer.text();
    if (answer.ok) shown.delete('gates');
  } catch {
    said.textContent = 'nothing was sent: the dashboard has ended';
  }
  for (const button of form.querySelectorAll('button')) button.disabled = false;
  leaveForm();
  void refresh();
}

document.addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  if (form.matches('.answer')) void answerGate(form, (event.submitter as HTMLButtonElement).value);
  if (form.matches('[data-filter]')) {
    const data = new FormData(form);
    wish = new URLSearchParams({ filter: String(data.get('filter')), page: String(Number(data.get('page')) - 1) });
    shown.delete('view');
    goBackTo = (document.activeElement as HTMLInputElement | null)?.name || 'filter';
    void refresh();
  }
});
part('runs').addEventListener('change', ({ target }) => {
  run = (target as HTMLSelectElement).value;
  follow();
});
addEventListener('hashchange', () => {
  part('view').replaceChildren();
  shown.delete('view');
  void refresh();
});
setInterval(() => void listRuns().catch(() => undefined), 3000);
// Logs grow without a word in the journal.
setInterval(() => {
  if (view() === 'curves' && part('live').textContent?.startsWith('running')) void refresh();
}, 2000);
setInterval(() => void followLog().catch(() => undefined), 700);
void listRuns();
