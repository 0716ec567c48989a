import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does when it is asked the n-th time; the last one is repeated. */
export interface FakeTurn {
  readonly text?: string;
  readonly calls?: readonly FakeCall[];
  /** An answer that is no stream: an HTTP error. */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly error?: object;
  /** The stream begins well and then says that the response failed. */
  readonly failed?: object;
  readonly delayMs?: number;
  /** `hang`: begins and never goes on. `cut`: begins and closes the connection. */
  readonly end?: 'hang' | 'cut';
  readonly usage?: { readonly input: number; readonly cached?: number; readonly output: number };
}

export type FakeCall =
  | { readonly name: string; readonly args: object; readonly namespace?: string }
  | { readonly name: string; readonly input: string };

export interface FakeRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly model?: string; readonly input?: readonly FakeItem[]; readonly tools?: readonly object[] };
}

export interface FakeItem {
  readonly type?: string;
  readonly role?: string;
  readonly output?: unknown;
  readonly content?: unknown;
}

/** A model of OpenAI's that follows a script: its Responses API on loopback, as far as codex speaks it. */
export class FakeOpenAi {
  /** Only questions to the model, in order. */
  readonly requests: FakeRequest[] = [];
  readonly #server: Server;
  readonly #turns: readonly FakeTurn[];

  private constructor(turns: readonly FakeTurn[]) {
    this.#turns = turns;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    // codex tries a web socket first when it thinks that the provider has one.
    this.#server.on('upgrade', (_request, socket) => socket.destroy());
  }

  static async start(turns: readonly FakeTurn[]): Promise<FakeOpenAi> {
    const fake = new FakeOpenAi(turns);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The text of what the tools answered, as the n-th question shows it. */
  toolOutputs(question: number): readonly string[] {
    const input = this.requests[question]?.body.input ?? [];
    return input.filter(({ type }) => type?.endsWith('_call_output')).map(({ output }) => JSON.stringify(output));
  }

  /** May be called again. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const path = request.url ?? '';
    if (request.method !== 'POST' || !path.endsWith('/responses')) {
      refuse(response, { status: 404, error: { message: 'no such thing' } });
      return;
    }
    const asked = this.requests.push({ path, headers: request.headers, body: JSON.parse(body) });
    const turn = this.#turns[Math.min(asked, this.#turns.length) - 1] ?? {};
    if (turn.delayMs) await new Promise((resolve) => setTimeout(resolve, turn.delayMs));
    if (turn.status) refuse(response, { ...turn, status: turn.status });
    else stream(response, turn, asked);
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function refuse(response: ServerResponse, turn: Pick<FakeTurn, 'headers' | 'error'> & { status: number }): void {
  response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
  response.end(JSON.stringify({ error: turn.error ?? { message: 'as the script says' } }));
}

function stream(response: ServerResponse, turn: FakeTurn, asked: number): void {
  const id = `resp_${asked}`;
  const tell = (type: string, about: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...about })}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', ...turn.headers });
  tell('response.created', { response: { id } });
  if (turn.end === 'hang') return;
  if (turn.end === 'cut') {
    response.destroy();
    return;
  }
  if (turn.failed) tell('response.failed', { response: { id, status: 'failed', error: turn.failed } });
  else {
    for (const item of itemsOf(turn, asked)) tell('response.output_item.done', { item });
    tell('response.completed', { response: { id, usage: usageOf(turn) } });
  }
  response.end();
}

function itemsOf({ text, calls = [] }: FakeTurn, asked: number): object[] {
  const message = { type: 'message', role: 'assistant', id: `msg_${asked}` };
  return [
    ...(text === undefined ? [] : [{ ...message, content: [{ type: 'output_text', text }] }]),
    ...calls.map((call, index) => {
      const call_id = `call_${asked}_${index}`;
      if ('input' in call) return { type: 'custom_tool_call', call_id, ...call };
      const { args, ...named } = call;
      return { type: 'function_call', call_id, ...named, arguments: JSON.stringify(args) };
    }),
  ];
}

function usageOf({ usage = { input: 100, cached: 10, output: 20 } }: FakeTurn): object {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: usage.input + usage.output,
  };
}
