import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does next. */
export interface ModelTurn {
  readonly text?: string;
  readonly tools?: readonly { readonly name: string; readonly input: object }[];
  readonly usage?: { readonly [name: string]: number };
  /** An error instead of an answer. */
  readonly status?: number;
  readonly error?: { readonly type: string; readonly message: string };
  readonly headers?: { readonly [name: string]: string };
  readonly delayMs?: number;
  /** `silent`: no answer ever comes. `halfway`: it begins and then stops coming. */
  readonly hang?: 'silent' | 'halfway';
}

/** A request as it came in. */
export interface ModelRequest {
  readonly headers: IncomingHttpHeaders;
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly string[];
  /** All of it, to look for words in. */
  readonly text: string;
}

/**
 * The turns in order, or a function of the request. Of a list, the number of answers already in the conversation says
 * which turn comes next, so a request that is repeated gets the same one again, and the last one stands for all later ones.
 */
export type ModelScript = readonly ModelTurn[] | ((request: ModelRequest) => ModelTurn);

/** Speaks enough of the Messages API for a coding CLI to work with, on loopback. */
export class FakeAnthropic {
  /** Those to the model itself, not the small ones on the side. */
  readonly requests: ModelRequest[] = [];
  /** Everything else that was asked for. */
  readonly others: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly script: ModelScript,
  ) {}

  static async start(script: ModelScript): Promise<FakeAnthropic> {
    const server = createServer();
    const fake = new FakeAnthropic(server, script);
    server.on('request', (request, response) => {
      fake.#answer(request, response).catch((error: Error) => response.destroy(error));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const path = new URL(incoming.url ?? '/', 'http://loopback').pathname;
    if (incoming.method !== 'POST' || path !== '/v1/messages') {
      this.others.push(`${incoming.method} ${path}`);
      if (path === '/v1/messages/count_tokens') json(response, 200, { input_tokens: 42 });
      else json(response, 404, { type: 'error', error: { type: 'not_found_error', message: 'not here' } });
      return;
    }
    const request = requestOf(incoming.headers, body);
    const turn = this.#turn(request);
    if (turn.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, turn.delayMs));
    if (turn.hang === 'silent') return;
    for (const [name, value] of Object.entries(turn.headers ?? {})) response.setHeader(name, value);
    if (turn.status !== undefined) json(response, turn.status, errorOf(turn));
    else if (request.stream) stream(response, messageOf(request, turn), turn.hang === 'halfway');
    else json(response, 200, messageOf(request, turn));
  }

  /** A call on the side, for a title or the like, offers no tools. */
  #turn(request: ModelRequest): ModelTurn {
    if (request.tools.length === 0) return { text: 'ok' };
    this.requests.push(request);
    if (typeof this.script === 'function') return this.script(request);
    const answers = request.messages.filter(({ role }) => role === 'assistant').length;
    return this.script[Math.min(answers, this.script.length - 1)]!;
  }
}

function requestOf(headers: IncomingHttpHeaders, text: string): ModelRequest {
  const body = JSON.parse(text) as Omit<ModelRequest, 'tools'> & { readonly tools?: readonly { name: string }[] };
  const { model, messages, stream = false } = body;
  return { headers, model, messages, stream, tools: (body.tools ?? []).map(({ name }) => name), text };
}

const errorOf = ({ status, error }: ModelTurn): object => ({
  type: 'error',
  error: error ?? { type: 'api_error', message: `this is a ${status}` },
  request_id: 'req_fake',
});

type Message = ReturnType<typeof messageOf>;

let messages = 0;

function messageOf({ model }: ModelRequest, turn: ModelTurn) {
  messages += 1;
  const calls = (turn.tools ?? []).map(({ name, input }, index) => ({
    type: 'tool_use' as const,
    id: `toolu_fake_${messages}_${index}`,
    name,
    input,
  }));
  const text = turn.text === undefined ? [] : [{ type: 'text' as const, text: turn.text }];
  return {
    id: `msg_fake_${messages}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [...text, ...calls],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 100,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 20,
      ...turn.usage,
    },
  };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function stream(response: ServerResponse, message: Message, halfway: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, more: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  };
  const { content, stop_reason, stop_sequence, usage } = message;
  send('message_start', {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  if (halfway) return;
  for (const [index, block] of content.entries()) {
    const [empty, delta] =
      block.type === 'text'
        ? [
            { type: 'text', text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ];
    send('content_block_start', { index, content_block: empty });
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  send('message_delta', { delta: { stop_reason, stop_sequence }, usage: { output_tokens: usage.output_tokens } });
  send('message_stop', {});
  response.end();
}
