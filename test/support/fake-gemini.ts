import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the fake model does when it is asked: say something, call a tool, refuse, or never answer. */
export type GeminiTurn =
  | { readonly say: string }
  | { readonly call: string; readonly args: object }
  | { readonly status: number; readonly error?: object }
  | 'hang';

export interface FakeGemini {
  readonly url: string;
  /** What it was asked, in order, one entry for each answered request. */
  readonly requests: readonly { readonly model: string; readonly body: string; readonly key: string | undefined }[];
  close(): Promise<void>;
}

/** A scripted Gemini API on loopback; the last turn is repeated. */
export async function fakeGemini(turns: readonly GeminiTurn[]): Promise<FakeGemini> {
  const requests: { model: string; body: string; key: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const [, model, method] = /models\/([^:]+):(\w+)/.exec(request.url ?? '') ?? [];
    if (!model || (method !== 'generateContent' && method !== 'streamGenerateContent')) {
      response.writeHead(404).end('{}');
      return;
    }
    const turn = turns[Math.min(requests.length, turns.length - 1)]!;
    requests.push({ model, body, key: request.headers['x-goog-api-key'] as string | undefined });
    answer(response, turn, method === 'streamGenerateContent');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, turn: GeminiTurn, streamed: boolean): void {
  if (turn === 'hang') return;
  if ('status' in turn) {
    const error = { code: turn.status, message: 'scripted failure', ...turn.error };
    response.writeHead(turn.status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    return;
  }
  const part = 'say' in turn ? { text: turn.say } : { functionCall: { name: turn.call, args: turn.args } };
  const chunk = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
    modelVersion: 'fake',
  };
  response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' });
  response.end(streamed ? `data: ${JSON.stringify(chunk)}\n\n` : JSON.stringify(chunk));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of request) body += String(piece);
  return body;
}
