import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the endpoint says next. */
export interface ChatTurn {
  readonly text?: string | null;
  /** Native calls; arguments that are text are sent as they are. */
  readonly calls?: readonly (readonly [tool: string, args: object | string])[];
  /** `null`: none is sent. */
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  /** Sent instead of a message. */
  readonly raw?: string;
  /** Never answers. */
  readonly silent?: true;
  /** Cuts the connection. */
  readonly cut?: true;
}

export interface ChatRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model?: string;
    readonly temperature?: number;
    readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
    readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  };
}

export interface FakeChat {
  readonly baseUrl: string;
  readonly requests: ChatRequest[];
  /** What is said from now on; the last turn is repeated for ever. */
  script(turns: readonly ChatTurn[] | ((request: ChatRequest, index: number) => ChatTurn)): void;
  close(): Promise<void>;
}

/** A scripted chat endpoint on loopback. */
export async function startFakeChat(): Promise<FakeChat> {
  const requests: ChatRequest[] = [];
  let next: (request: ChatRequest, index: number) => ChatTurn = () => ({ status: 500 });
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    incoming.on('end', () => {
      const request = {
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: text === '' ? {} : JSON.parse(text),
      };
      requests.push(request);
      answer(next(request, requests.length - 1), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script(turns) {
      requests.length = 0;
      next = typeof turns === 'function' ? turns : (_, index) => turns[Math.min(index, turns.length - 1)]!;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const usual = { prompt_tokens: 100, completion_tokens: 10 };

function answer(turn: ChatTurn, response: ServerResponse): void {
  if (turn.silent) return;
  if (turn.cut) {
    response.destroy();
    return;
  }
  response.writeHead(turn.status ?? 200, { 'content-type': 'application/json', ...turn.headers });
  response.end(turn.raw ?? (turn.status === undefined ? completion(turn) : '{"error":{"message":"no"}}'));
}

function completion({ text = null, calls, usage = usual }: ChatTurn): string {
  const toolCalls = calls?.map(([name, args], index) => ({
    id: `server_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  return JSON.stringify({
    id: 'x',
    model: 'tiny-2026',
    choices: [
      { index: 0, message: { role: 'assistant', content: text, ...(toolCalls ? { tool_calls: toolCalls } : {}) } },
    ],
    ...(usage ? { usage } : {}),
  });
}
