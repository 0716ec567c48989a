import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of a POST: what it says, as JSON. */
  readonly body?: unknown;
}

export type Answer =
  | { readonly kind: 'text'; readonly type: string; readonly text: string; readonly status?: number }
  /** Goes on until the reader has gone: `begin` gets how to send, and gives back how to stop. */
  | { readonly kind: 'stream'; readonly begin: (send: (data: string) => void) => () => void };

export interface DashboardOptions {
  readonly port: number;
  /** Paths that hold nothing of anybody's: programs and looks. Everything else needs the token. */
  readonly open: ReadonlySet<string>;
  readonly readOnly: boolean;
  handle(asked: Asked): Promise<Answer | undefined>;
}

export interface Dashboard {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A web server for one person on this machine. Whoever does not know the token sees nothing; a page of somebody else in the
 * same browser can neither read (no other origin is let in, and names other than this host's are refused, so that nobody
 * can point a name at us) nor write (the token has to come in a header, from our own origin).
 */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => {
    void answer(request, response, { options, token, server }).catch(() => {
      if (!response.headersSent) response.writeHead(500, headers);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${portOf(server)}/?token=${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Serving {
  readonly options: DashboardOptions;
  readonly token: string;
  readonly server: Server;
}

async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const refusal = refusalOf(request, url, serving);
  if (refusal !== undefined) return send(response, { kind: 'text', type: 'text/plain', text: refusal, status: 403 });
  const body = request.method === 'POST' ? await bodyOf(request) : undefined;
  const given = await serving.options.handle({
    path: url.pathname,
    query: url.searchParams,
    ...(body === undefined ? {} : { body }),
  });
  if (!given) return send(response, { kind: 'text', type: 'text/plain', text: 'There is nothing here.', status: 404 });
  if (given.kind === 'text') return send(response, given);
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
  const stop = given.begin((data) => response.write(`data: ${data.replaceAll('\n', ' ')}\n\n`));
  response.on('close', stop);
}

/** Words for why nothing is said. They tell nobody more than they know. */
function refusalOf(
  { method, headers: sent }: IncomingMessage,
  url: URL,
  { options, token, server }: Serving,
): string | undefined {
  const port = portOf(server);
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(sent.host ?? '')) return 'This host is not served.';
  if (sent.origin !== undefined && !hosts.some((host) => sent.origin === `http://${host}`))
    return 'This origin is not served.';
  const site = sent['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'Other sites are not served.';
  if (method === 'POST') {
    if (options.readOnly) return 'This dashboard only shows.';
    if (sent.origin === undefined) return 'A write has to say where it comes from.';
    if (!/^application\/json\b/.test(sent['content-type'] ?? '')) return 'A write has to be JSON.';
    return isToken(sent[tokenHeader], token) ? undefined : 'The token is missing or wrong.';
  }
  if (method !== 'GET') return 'Only GET and POST are served.';
  if (options.open.has(url.pathname)) return undefined;
  return isToken(sent[tokenHeader] ?? url.searchParams.get('token'), token)
    ? undefined
    : 'The token is missing or wrong.';
}

const tokenHeader = 'x-autoresearch-token';

function isToken(given: unknown, token: string): boolean {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) {
    text += part;
    if (text.length > mostBody) throw new Error('too much was sent');
  }
  return JSON.parse(text);
}

const mostBody = 100_000;

function send(response: ServerResponse, { type, text, status = 200 }: Extract<Answer, { kind: 'text' }>): void {
  response.writeHead(status, { ...headers, 'content-type': `${type}; charset=utf-8` });
  response.end(text);
}

/** No script but ours, no address but ours, no frame, no trace of the token. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
