import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAddress, type Address, type EncodedAccount } from '@solana/kit';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { FaultBoard } from '../../faults.ts';
import { createNamedCalls, type NamedCalls } from '../../wire/named-calls.ts';
import { openSolanaChain, type SolanaChain } from './chain.ts';
import { createSolanaFaucet, faucetGenesis, type SolanaFaucet } from './faucet.ts';
import { answerText } from './rpc-envelope.ts';
import { forksBy, rpcWorld, type RpcWorld } from './rpc-method.ts';
import { createSubscriptions } from './rpc-subscriptions.ts';

/** Programs of our own, and accounts that exist before the first transaction. */
export interface ChainFounding {
  readonly programs: readonly EncodedAccount[];
  readonly accounts: readonly EncodedAccount[];
}

/** A node that listens. */
export interface SolanaRpc {
  /** JSON-RPC by POST; the same address with ws:// takes subscriptions. */
  readonly url: string;
  readonly socketUrl: string;
  readonly chain: SolanaChain;
  readonly faucet: SolanaFaucet;
  close(): Promise<void>;
}

/**
 * Serves a Solana of one node on 127.0.0.1: JSON-RPC, subscriptions, and the sandbox's own faucet
 * (`POST /faucet {"address":"…","lamports":"1000000000","usdc":"100"}`), which no real node has.
 * Errors: `store_corrupt`.
 */
export async function startSolanaRpc({
  clock,
  seed,
  folder,
  faults,
  founding = { programs: [], accounts: [] },
  port = 0,
}: {
  /** Wall time. */
  readonly clock: Clock;
  readonly seed: number;
  /** Where the chain outlives a stop; null keeps nothing. */
  readonly folder: string | null;
  readonly faults: FaultBoard;
  /** What is on the chain beside the network's own programs. Absent: nothing. */
  readonly founding?: ChainFounding;
  /** 0 or absent: any free port. */
  readonly port?: number;
}): Promise<SolanaRpc> {
  const chain = openSolanaChain({
    clock,
    seed,
    folder,
    genesis: [...faucetGenesis(seed), ...founding.accounts],
    programs: founding.programs,
    forks: forksBy(faults),
  });
  const world = rpcWorld({ chain, faucet: createSolanaFaucet(chain, seed), faults });
  const gifts = createNamedCalls<HttpAnswer>();
  const server = createServer((request, response) => {
    void readBody(request)
      .then((body) => respond({ world, gifts, faults }, request, body))
      .then(
        (answer) => {
          if (answer === null) response.socket?.resetAndDestroy();
          else reply(response, answer);
        },
        (cause: unknown) =>
          reply(response, { status: 500, body: JSON.stringify({ error: String(cause) }) }),
      );
  });
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: SOLANA_SANDBOX.requestBodyMaximumBytes,
    perMessageDeflate: false,
  });
  const subscriptions = createSubscriptions(chain, clock);
  sockets.on('connection', (socket) => {
    socket.on('error', () => socket.terminate());
    if (sockets.clients.size > SOLANA_SANDBOX.socketsMaximum)
      socket.close(1013, 'too many sockets');
    else
      subscriptions.attend(socket, (text, socketMethod) => answerText(world, text, socketMethod));
  });
  // Clients without its address expect the socket one port above: it is there too.
  const above = createServer((_request, response) => response.writeHead(426).end());
  for (const each of [server, above])
    each.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (client) =>
        sockets.emit('connection', client, request),
      ),
    );
  const bound = await listenBeside(server, above, port);
  return {
    url: `http://127.0.0.1:${bound}`,
    socketUrl: `ws://127.0.0.1:${bound}`,
    chain,
    faucet: world.faucet,
    close: () =>
      new Promise((resolve) => {
        subscriptions.stop();
        for (const socket of sockets.clients) socket.terminate();
        sockets.close();
        above.close();
        server.close(() => {
          chain.close();
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Listens on two ports that follow each other, any unless one is given. Returns the first. */
async function listenBeside(server: Server, above: Server, port: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    await listen(server, port);
    const { port: bound } = server.address() as AddressInfo; // a listening server has a port
    try {
      await listen(above, bound + 1);
      return bound;
    } catch (cause) {
      if (port !== 0 || attempt === SOLANA_SANDBOX.portAttemptsMaximum) throw cause;
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void => reject(cause);
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', failed);
      resolve();
    });
  });
}

interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const PATH = '/solana';
const giftSchema = z.strictObject({
  address: z.string().refine((text) => isAddress(text), 'not a key of 32 bytes in base58'),
  lamports: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(BigInt)
    .refine(
      (amount) => amount > 0n && amount <= BigInt(SOLANA_SANDBOX.giftLamportsMaximum),
      `1 to ${SOLANA_SANDBOX.giftLamportsMaximum}`,
    )
    .optional(),
  usdc: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,6})?$/)
    .transform(usdcMicros)
    .refine(
      (amount) => amount > 0n && amount <= BigInt(SOLANA_SANDBOX.giftUsdcMicrosMaximum),
      'up to a million',
    )
    .optional(),
  /** A call of this name gives once, however often it is made. */
  name: z.string().max(200).optional(),
});

function respond(
  {
    world,
    gifts,
    faults,
  }: {
    readonly world: RpcWorld;
    readonly gifts: NamedCalls<HttpAnswer>;
    readonly faults: FaultBoard;
  },
  request: IncomingMessage,
  body: string | null,
): HttpAnswer | null {
  if (request.method !== 'POST')
    return {
      status: 405,
      body: 'Used HTTP Method is not allowed. POST is required',
      headers: { allow: 'POST' },
    };
  if (body === null) return { status: 413, body: 'Payload too large' };
  if (request.url === '/faucet') return gift(world, gifts, body);
  if (request.url !== '/') return { status: 404, body: 'Not Found' };
  if (faults.take('feed-rate-limited', { path: PATH }) !== null)
    return {
      status: 429,
      body: JSON.stringify({
        jsonrpc: '2.0',
        error: { code: 429, message: 'Too many requests from your IP' },
        id: null,
      }),
      headers: { 'retry-after': '1' },
    };
  if (faults.take('feed-bad-gateway', { path: PATH }) !== null)
    return {
      status: 502,
      body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
      headers: { 'content-type': 'text/html' },
    };
  const text = answerText(world, body) ?? '';
  return world.losesAnswer() ? null : { status: 200, body: text };
}

function gift(
  { faucet, chain }: RpcWorld,
  gifts: NamedCalls<HttpAnswer>,
  body: string,
): HttpAnswer {
  const read = giftSchema.safeParse(parse(body));
  if (!read.success || !isAddress(read.data.address))
    return {
      status: 400,
      body: JSON.stringify({
        error: read.success ? 'not an address' : z.prettifyError(read.error),
      }),
    };
  const { address: to, lamports, usdc, name } = read.data;
  return gifts(name, () => give({ faucet, chain }, { to, lamports, usdc }));
}

function give(
  { faucet, chain }: Pick<RpcWorld, 'faucet' | 'chain'>,
  {
    to,
    lamports,
    usdc,
  }: {
    readonly to: Address;
    readonly lamports: bigint | undefined;
    readonly usdc: bigint | undefined;
  },
): HttpAnswer {
  const executed = [
    ...(lamports === undefined ? [] : [faucet.giveLamports(to, lamports)]),
    ...(usdc === undefined ? [] : [faucet.giveUsdc(to, usdc)]),
  ];
  // whoever is answered has it, whenever the sandbox is killed
  chain.keep();
  const signatures = executed.map((each) =>
    each.kind === 'landed' && each.transaction.error === null ? each.transaction.signature : null,
  );
  return signatures.includes(null)
    ? { status: 409, body: JSON.stringify({ error: 'the chain refused the gift', executed }) }
    : { status: 200, body: JSON.stringify({ address: to, signatures }) };
}

/** Digits to millionths; the pattern has checked them. */
function usdcMicros(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The whole body, or null when it is larger than taken. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    // a request without an encoding gives Buffers
    size += chunk.length;
    if (size <= SOLANA_SANDBOX.requestBodyMaximumBytes) chunks.push(chunk);
  }
  return size > SOLANA_SANDBOX.requestBodyMaximumBytes
    ? null
    : Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, { status, body, headers }: HttpAnswer): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
