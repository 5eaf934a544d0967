import type { AddressInfo } from 'node:net';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VENUE_A } from '../../../config/limits/venue-a.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import {
  createVenueClient,
  errorText,
  type VenueClient,
} from '../../../src/venues/venue-a/client.ts';
import { hmacBase64Url } from '../../../src/adapters/wire/hmac.ts';
import { asId } from '../../../src/domain/ids.ts';
import { silentMetrics } from '../../support/fixtures/wire-venue.ts';

let server: Server;
let client: VenueClient;
let reply: {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};
let seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[];

beforeEach(async () => {
  reply = { status: 200, body: '{}' };
  seen = [];
  server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // a TCP server that listens has one
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createVenueClient({
    urls: { clobRest: url, gamma: url, dataApi: url, site: url },
    clock: createVirtualClock(1_700_000_000_000),
    metrics: silentMetrics,
  });
});
afterEach(async () => {
  await client.close();
  await new Promise((resolve) => server.close(resolve));
});

const read = () =>
  client.read({ family: 'public', method: 'GET', path: '/book', query: { token_id: '1' } });

describe('a read', () => {
  it('gives the JSON of the answer, and null for a 404 in JSON', async () => {
    reply = { status: 200, body: '{"a":1}' };
    expect(await read()).toEqual({ a: 1 });
    reply = { status: 404, body: '{"error":"No orderbook exists for the requested token id"}' };
    expect(await read()).toBeNull();
  });

  it.each([
    [200, '<html>', 'venue_protocol', false],
    [400, '{"error":"Invalid token id"}', 'venue_protocol', false],
    [403, '<html>', 'venue_restricted', false],
    [404, '<html>', 'venue_unavailable', true],
    [425, '{"error":"service not ready"}', 'venue_unavailable', true],
    [429, '<html>', 'rate_limited', true],
    [500, '{"error":"Internal server error"}', 'venue_unavailable', true],
    [502, '<html>', 'venue_unavailable', true],
  ])('turns %i with %s into %s', async (status, body, code, retryable) => {
    reply = { status, body };
    await expect(read()).rejects.toMatchObject({ code, retryable });
  });

  it('keeps the wait the venue asks for', async () => {
    reply = { status: 429, body: '{}', headers: { 'retry-after': '3' } };
    await expect(read()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 3_000 });
  });
});

describe('a private call', () => {
  it('signs the path without its query, at the time of the clock', async () => {
    const credentials = {
      key: 'key',
      secret: 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=',
      passphrase: 'phrase',
    };
    await client.call({
      family: 'ledger',
      method: 'GET',
      path: '/data/orders',
      query: { next_cursor: 'MA==' },
      account: { address: asId('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'), credentials },
    });
    expect(seen[0]).toMatchObject({
      url: '/data/orders?next_cursor=MA%3D%3D',
      headers: {
        poly_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        poly_api_key: 'key',
        poly_passphrase: 'phrase',
        poly_timestamp: '1700000000',
        poly_signature: hmacBase64Url(credentials.secret, '1700000000GET/data/orders'),
        'user-agent': 'predictd/0.1',
      },
    });
  });

  it('is unsent when its caller gave up before its turn', async () => {
    const giveUp = new AbortController();
    giveUp.abort();
    expect(
      await client.call({
        family: 'write',
        method: 'POST',
        path: '/order',
        body: '{}',
        signal: giveUp.signal,
      }),
    ).toMatchObject({ kind: 'unsent' });
    expect(seen).toEqual([]);
  });
});

describe('the words of an error body', () => {
  it.each([
    [{ error: 'a' }, 'a'],
    [{ errorMsg: 'b' }, 'b'],
    [{ error_msg: 'c' }, 'c'],
    [{ error: { code: 1 } }, ''],
    ['text', ''],
    [null, ''],
  ])('of %j are %j', (body, text) => {
    expect(errorText(body)).toBe(text);
  });
});

describe('a write', () => {
  it('L6: is not sent where it may not leave any more when its turn comes', async () => {
    const write = (isGranted: () => boolean) =>
      client.call({ family: 'write', method: 'POST', path: '/order', body: '{}', isGranted });
    expect(await write(() => false)).toEqual({ kind: 'unsent', cause: 'given up before its turn' });
    expect(seen).toEqual([]);
    expect((await write(() => true)).kind).toBe('answered');
  });
});

describe('the lanes of reads', () => {
  it('H1: leave trading and discovery their share at once, however many reads browsing has waiting; what is too many is refused as ours', async () => {
    const browsing = client.inLane('browsing');
    const browsed: Promise<unknown>[] = [];
    const readIn = (lane: VenueClient) =>
      lane.read({ family: 'directory', method: 'GET', path: '/events/1' });
    for (
      let number = 0;
      number < 2 * VENUE_A.directoryReadsPerSecond + VENUE_A.browsingCallsWaitingMaximum;
      number += 1
    )
      browsed.push(readIn(browsing).catch((error: unknown) => error));
    // the clock is stopped, so no read that has to wait is answered
    expect([await readIn(client), await readIn(client.inLane('discovery'))]).toEqual([{}, {}]);
    expect(await browsed.at(-1)).toMatchObject({
      code: 'overloaded',
      retryable: true,
      retryAfterMs: expect.any(Number),
    });
  });
});
