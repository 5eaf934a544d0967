import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a proxy on loopback that adds a key to every request, for suites that cannot (mcp.md
 * section 8), after `onRequest`.
 */
export async function startKeyProxy(
  target: string,
  key: string,
  onRequest: () => Promise<void>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const proxy = createServer((incoming, answer) => {
    const outgoing = request(
      `${target}${incoming.url ?? '/'}`,
      {
        method: incoming.method ?? 'GET',
        headers: { ...incoming.headers, authorization: `Bearer ${key}` },
      },
      (given) => {
        answer.writeHead(given.statusCode ?? 502, given.headers);
        given.pipe(answer);
      },
    );
    outgoing.on('error', () => answer.destroy());
    onRequest().then(
      () => incoming.pipe(outgoing),
      () => answer.destroy(),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  // a server that listens on a port has such an address
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        proxy.closeAllConnections();
        proxy.close(() => resolve());
      }),
  };
}
