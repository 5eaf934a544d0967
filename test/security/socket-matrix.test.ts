import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { routeTable } from '../../src/app/route-table.ts';
import { openSocket } from '../http/live/socket-client.ts';
import { apiWithCredentials, type Credential } from './credentials.ts';

const callers = apiWithCredentials();

/** A socket reads what this row reads, so it is open to whom the row is. */
const LIKE = routeTable.find(
  ({ method, path }) => method === 'GET' && path === '/api/venue_a/order/',
);

/** The code a caller is refused with, 'authenticated' when none. */
function outcome({ headers }: Credential): Promise<unknown> {
  const socket = new WebSocket(`${callers.api.url.replace('http', 'ws')}/ws`, {
    headers: { ...headers },
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      response.on('end', () => resolve(JSON.parse(text).code));
    });
    socket.on('open', () => {
      if (headers.authorization === undefined)
        socket.send(JSON.stringify({ op: 'subscribe', topics: ['orders'] }));
    });
    socket.on('message', (data) => {
      const { op, code } = JSON.parse(String(data));
      resolve(code ?? op);
      socket.terminate();
    });
  });
}

describe('the gate before the sockets', () => {
  it('takes exactly those who may read their orders over HTTP', async () => {
    expect(LIKE).toBeDefined();
    const found: unknown[] = [];
    const wanted: unknown[] = [];
    for (const credential of callers.credentials) {
      found.push([credential.name, await outcome(credential)]);
      wanted.push([
        credential.name,
        (LIKE === undefined ? null : credential.refusal(LIKE)) ?? 'authenticated',
      ]);
    }
    expect(found).toEqual(wanted);
  });

  it('is the same for a token in a message', async () => {
    for (const credential of callers.credentials) {
      const token = /^Bearer (.{1,2048})$/.exec(credential.headers.authorization ?? '')?.[1];
      if (token === undefined || LIKE === undefined) continue;
      const client = await openSocket(callers.api.url);
      client.send({ op: 'auth', token });
      const { op, code } = await client.next();
      expect([credential.name, code ?? op]).toEqual([
        credential.name,
        credential.refusal(LIKE) ?? 'authenticated',
      ]);
      client.socket.terminate();
    }
  });

  it("shows no user what is another user's, whatever they ask for", async () => {
    const [ada, ben] = [await callers.api.signIn(), await callers.api.signIn()];
    const client = await openSocket(callers.api.url, { authorization: `Bearer ${ben.token}` });
    await client.next();
    const names = [
      `orders ${ada.userId}`,
      `orders:${ada.userId}`,
      `orders/${ada.userId}`,
      ` orders`,
      `orders\n${ada.userId}`,
      'orders/#',
      '#',
      '+',
      '*',
      `notifications ${ada.userId}`,
    ];
    for (const name of names) {
      client.send({ op: 'subscribe', topics: [name] });
      expect([name, await client.next()]).toEqual([
        name,
        expect.objectContaining({ op: 'error', code: 'not_found' }),
      ]);
    }
    const { code } = await client.closed;
    expect(code).toBe(4400);
  });
});
