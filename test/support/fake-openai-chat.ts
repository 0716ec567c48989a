import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the fake model does when it is asked: say something, call a tool, refuse, or never answer. */
export type ChatTurn =
  | { readonly say: string }
  | { readonly call: string; readonly args: object }
  | { readonly status: number; readonly error?: object; readonly headers?: { readonly [name: string]: string } }
  | 'hang';

export interface FakeOpenAiChat {
  /** With the `/v1` that clients are configured with. */
  readonly url: string;
  /** What it was asked, in order. */
  readonly requests: readonly { readonly body: string; readonly key: string | undefined }[];
  close(): Promise<void>;
}

/** A scripted chat-completions endpoint on loopback, streamed where asked for; the last turn is repeated. */
export async function fakeOpenAiChat(turns: readonly ChatTurn[]): Promise<FakeOpenAiChat> {
  const requests: { body: string; key: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (request.url !== '/v1/chat/completions') {
      response.writeHead(404).end('{}');
      return;
    }
    const turn = turns[Math.min(requests.length, turns.length - 1)]!;
    requests.push({ body, key: request.headers.authorization?.replace('Bearer ', '') });
    answer(response, turn, { streamed: body.includes('"stream":true'), id: `call_${requests.length}` });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  response: ServerResponse,
  turn: ChatTurn,
  { streamed, id }: { readonly streamed: boolean; readonly id: string },
): void {
  if (turn === 'hang') return;
  if ('status' in turn) {
    const error = { message: 'scripted failure', type: 'scripted', ...turn.error };
    response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
    response.end(JSON.stringify({ error }));
    return;
  }
  const [message, finish] =
    'say' in turn
      ? [{ role: 'assistant', content: turn.say }, 'stop']
      : [{ role: 'assistant', content: null, tool_calls: [toolCall(turn, id)] }, 'tool_calls'];
  const common = { id: 'chatcmpl-1', created: 1, model: 'fake' };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  if (!streamed) {
    const choices = [{ index: 0, message, finish_reason: finish }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...common, object: 'chat.completion', choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const choices of [
    [{ index: 0, delta: message, finish_reason: null }],
    [{ index: 0, delta: {}, finish_reason: finish }],
  ])
    response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices })}\n\n`);
  response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}

const toolCall = (turn: { readonly call: string; readonly args: object }, id: string): object => ({
  index: 0,
  id,
  type: 'function',
  function: { name: turn.call, arguments: JSON.stringify(turn.args) },
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of request) body += String(piece);
  return body;
}
