import { WebSocket } from 'ws';

/** A socket client that keeps what it hears. */
export interface SocketClient {
  readonly heard: readonly Record<string, unknown>[];
  send(message: unknown): void;
  sendRaw(data: string | Buffer): void;
  /** The next message not taken yet. */
  next(): Promise<Record<string, unknown>>;
  /** Close code and reason. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly socket: WebSocket;
  close(): void;
}

/** Opens a socket to the API; rejects with the HTTP status when the upgrade is refused. */
export function openSocket(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  path = '/ws',
): Promise<SocketClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers: { ...headers } });
  const heard: Record<string, unknown>[] = [];
  const waiting: ((message: Record<string, unknown>) => void)[] = [];
  let taken = 0;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Record<string, unknown>;
    heard.push(message);
    const waiter = waiting.shift();
    if (waiter !== undefined) {
      taken += 1;
      waiter(message);
    }
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) =>
      reject(new Error(`status ${response.statusCode}`)),
    );
    socket.on('error', reject);
    socket.on('open', () =>
      resolve({
        heard,
        closed,
        socket,
        send: (message) => socket.send(JSON.stringify(message)),
        sendRaw: (data) => socket.send(data),
        next: () => {
          const message = heard[taken];
          if (message === undefined) return new Promise((done) => waiting.push(done));
          taken += 1;
          return Promise.resolve(message);
        },
        close: () => socket.close(),
      }),
    );
  });
}
