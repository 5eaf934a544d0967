import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';

/** A request the stub has seen. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** What the stub answers: a body that is not text is sent as JSON. */
export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** How the stub behaves; both may be exchanged while it runs. */
export interface StubBehaviour {
  answer?: (request: SeenRequest) => StubAnswer | 'hang' | 'reset';
  connected?: (socket: WebSocket, request: SeenRequest) => void;
}

/** A running stub on loopback. */
export interface StubServer {
  readonly httpUrl: string;
  readonly socketUrl: string;
  readonly requests: SeenRequest[];
  readonly sockets: WebSocket[];
  readonly behaviour: StubBehaviour;
  close(): Promise<void>;
}

/** Starts an HTTP and WebSocket server on a free loopback port. */
export async function startStubServer(behaviour: StubBehaviour = {}): Promise<StubServer> {
  const requests: SeenRequest[] = [];
  const sockets: WebSocket[] = [];
  const seen = (request: IncomingMessage): SeenRequest => {
    const entry = { path: request.url ?? '', headers: request.headers };
    requests.push(entry);
    return entry;
  };
  const server = createServer((request, response) => {
    const answer = behaviour.answer?.(seen(request)) ?? { status: 404, body: 'nothing here' };
    if (answer === 'hang') return;
    if (answer === 'reset') {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status ?? 200, { ...answer.headers });
    response.end(
      typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? null),
    );
  });
  const socketServer = new WebSocketServer({ server });
  socketServer.on('connection', (socket, request) => {
    sockets.push(socket);
    behaviour.connected?.(socket, seen(request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    httpUrl: `http://127.0.0.1:${port}`,
    socketUrl: `ws://127.0.0.1:${port}`,
    requests,
    sockets,
    behaviour,
    async close() {
      for (const socket of sockets) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => socketServer.close(resolve));
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
