import {
  OrderSide,
  createSecureClient,
  forkEnvironmentConfig,
  privateKey,
} from '../peers/client.ts';
import { ClobClient, Side } from '../peers/clob-client-v2.ts';
import { peerSigner } from '../peers/signer.ts';
import { privateKeyToAccount } from 'viem/accounts';
import { WebSocket } from 'ws';
import { POLYGON_CHAIN } from '../../config/profiles/profile.ts';
import {
  TEST_ADDRESS,
  TEST_KEY,
  UP,
  startFixture,
  type Fixture,
} from '../conformance/venue-a-fixture.ts';
import { timeEach, type Timing } from './measure.ts';
import { signingRows } from './pool-venue.ts';
import type { Row } from './row.ts';
import { timeSignature } from './signature.ts';

const WORK = 'build + sign one limit order';
/** What a user of an official client would gain at least; viem alone builds no order. */
const TIMES_OFFICIAL = 0.15;

/**
 * Building and signing one limit order beside both official clients and viem alone, the same key
 * and market; and one of venue_c beside its client.
 */
export async function run(): Promise<readonly Row[]> {
  const fixture = await startFixture();
  try {
    const ours = await timeSignature();
    const peers = [
      { name: 'viem signTypedData 2.57.1', timing: await timeViem(), bar: null },
      {
        name: '@polymarket/clob-client-v2 1.1.0',
        timing: await timeClobClient(fixture),
        bar: { timesPeer: TIMES_OFFICIAL },
      },
      {
        name: '@polymarket/client 0.2.0',
        timing: await timeUnifiedClient(fixture),
        bar: { timesPeer: TIMES_OFFICIAL },
      },
    ];
    const rows = peers.flatMap(({ name, timing, bar }) =>
      (['p50', 'p99'] as const).map(
        (figure): Row => ({
          work: `${WORK}, ${figure}`,
          ours: ours[figure],
          peer: { name, figure: timing[figure] },
          unit: 'µs',
          bar,
        }),
      ),
    );
    return [...rows, ...(await signingRows())];
  } finally {
    await fixture.close();
  }
}

/** The typed data alone, without amounts, ids or body: the least any client on viem pays. */
function timeViem(): Promise<Timing> {
  const account = privateKeyToAccount(TEST_KEY);
  const zero = `0x${'0'.repeat(64)}` as const;
  const types = {
    Order: [
      { name: 'salt', type: 'uint256' },
      { name: 'maker', type: 'address' },
      { name: 'signer', type: 'address' },
      { name: 'tokenId', type: 'uint256' },
      { name: 'makerAmount', type: 'uint256' },
      { name: 'takerAmount', type: 'uint256' },
      { name: 'side', type: 'uint8' },
      { name: 'signatureType', type: 'uint8' },
      { name: 'timestamp', type: 'uint256' },
      { name: 'metadata', type: 'bytes32' },
      { name: 'builder', type: 'bytes32' },
    ],
  } as const;
  return timeEach(
    (round) =>
      account.signTypedData({
        domain: {
          name: POLYGON_CHAIN.domainName,
          version: POLYGON_CHAIN.domainVersion,
          chainId: POLYGON_CHAIN.chainId,
          verifyingContract: POLYGON_CHAIN.exchange,
        },
        types,
        primaryType: 'Order',
        message: {
          salt: BigInt(round),
          maker: account.address,
          signer: account.address,
          tokenId: BigInt(UP),
          makerAmount: 3_525_000n,
          takerAmount: 7_500_000n,
          side: 0,
          signatureType: 0,
          timestamp: BigInt(1_795_247_610_248 + round),
          metadata: zero,
          builder: zero,
        },
      }),
    { rounds: 3_000, warmUp: 500 },
  );
}

/**
 * Tick size, version and neg-risk flag are read from the sandbox once and cached by the client: no
 * network in the figure.
 */
async function timeClobClient(fixture: Fixture): Promise<Timing> {
  const signer = peerSigner(TEST_KEY);
  const client = new ClobClient({
    host: fixture.rest,
    chain: POLYGON_CHAIN.chainId,
    signer,
    throwOnError: true,
  });
  return timeEach(
    (round) =>
      client.createOrder({
        tokenID: UP,
        price: 0.47,
        size: 7.5 + (round % 100) / 100,
        side: Side.BUY,
      }),
    { rounds: 2_000, warmUp: 300 },
  );
}

/**
 * This client reads tick size and neg-risk flag for every order. Those reads are answered from
 * memory after the first, so that the figure is the client's own work and not the sandbox's.
 */
async function timeUnifiedClient(fixture: Fixture): Promise<Timing> {
  const before = { WebSocket: globalThis.WebSocket, fetch: globalThis.fetch };
  // The client needs a global WebSocket, which this Node version does not have.
  Object.assign(globalThis, { WebSocket, fetch: rememberingFetch(before.fetch) });
  try {
    const nowhere = 'http://127.0.0.1:9';
    const environment = forkEnvironmentConfig({
      name: 'sandbox',
      clob: {
        rest: fixture.rest,
        market: { ws: fixture.sockets.marketUrl },
        user: { ws: fixture.sockets.userUrl },
      },
      data: { rest: fixture.data },
      gamma: { rest: nowhere },
      relayer: { rest: nowhere },
      rtds: { ws: 'ws://127.0.0.1:9' },
      rpc: nowhere,
    });
    const client = await createSecureClient({
      environment,
      signer: privateKey(TEST_KEY),
      wallet: TEST_ADDRESS,
    });
    return await timeEach(
      (round) =>
        client.createLimitOrder({
          tokenId: UP,
          price: 0.47,
          size: 7.5 + (round % 100) / 100,
          side: OrderSide.BUY,
        }),
      { rounds: 2_000, warmUp: 300 },
    );
  } finally {
    Object.assign(globalThis, before);
  }
}

/** Answers a repeated GET from memory. */
function rememberingFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const texts = new Map<string, string>();
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const method = input instanceof Request ? input.method : (init?.method ?? 'GET');
    const known = texts.get(url);
    if (method === 'GET' && known !== undefined)
      return new Response(known, { headers: { 'content-type': 'application/json' } });
    const response = await fetch(input, init);
    if (method === 'GET' && response.ok) texts.set(url, await response.clone().text());
    return response;
  };
}
