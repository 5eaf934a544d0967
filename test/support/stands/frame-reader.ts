import { WebSocket } from 'ws';

/** A socket that keeps what it received until it is asked for. */
export interface FrameReader {
  readonly socket: WebSocket;
  /** The next text frame, now or when it comes. Rejects when the socket closes first. */
  next(): Promise<string>;
  /** The next frame for which the test holds; others are passed over. */
  nextWhere(test: (frame: string) => boolean): Promise<string>;
  close(): void;
}

/** Opens a socket and reads its frames one by one. Rejects with the status when the upgrade is refused. */
export async function readFrames(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<FrameReader> {
  const socket = new WebSocket(url, { headers });
  const waiting: string[] = [];
  const readers: { resolve(frame: string): void; reject(cause: Error): void }[] = [];
  socket.on('message', (data) => {
    const reader = readers.shift();
    if (reader === undefined) waiting.push(String(data));
    else reader.resolve(String(data));
  });
  socket.on('close', () =>
    readers.splice(0).forEach(({ reject }) => reject(new Error('the socket closed'))),
  );
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('unexpected-response', (_request, response) =>
      reject(new Error(`refused with ${response.statusCode}`)),
    );
    socket.once('error', reject);
  });
  function next(): Promise<string> {
    const frame = waiting.shift();
    return frame === undefined
      ? new Promise((resolve, reject) => readers.push({ resolve, reject }))
      : Promise.resolve(frame);
  }
  async function nextWhere(test: (frame: string) => boolean): Promise<string> {
    for (;;) {
      const frame = await next();
      if (test(frame)) return frame;
    }
  }
  return { socket, next, nextWhere, close: () => socket.terminate() };
}
