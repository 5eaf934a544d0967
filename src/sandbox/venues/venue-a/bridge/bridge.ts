import { getAddress } from 'viem';
import { z } from 'zod';
import { VENUE_A_CHAIN } from '../chain/chain-addresses.ts';
import { BRIDGE_TOKENS, NON_EVM, transferRow } from './bridge-model.ts';
import { BridgeService, type BridgeServiceOptions } from './bridge-service.ts';
import { readAddress } from '../clob/venue-auth.ts';
import {
  failed,
  ok,
  serveHttp,
  readJson,
  type Call,
  type Listening,
  type Reply,
} from '../../../wire/http-server.ts';

/** A running bridge. */
export interface Bridge extends Listening {
  /** Looks once at every chain, at once. */
  work(): Promise<void>;
}

/**
 * Serves the venue's bridge (venue_a.md section 13). Payments on the local Polygon, Base and Solana
 * are seen there; chains without a node here are modelled behind the same wire. `POST
 * /sandbox/payments`, which no real bridge has, plays a user's payment: on a chain with a
 * node it makes test dollars there, elsewhere it tells the model. The Solana node has a faucet of
 * its own.
 */
export async function startBridge(
  options: BridgeServiceOptions & { readonly port?: number },
): Promise<Bridge> {
  const service = new BridgeService(options);
  const { faults, clock, port } = options;
  const server = await serveHttp({
    clock,
    ...(port === undefined ? {} : { port }),
    before: ({ path }) =>
      faults.take('bridge-unavailable', { path }) === null
        ? null
        : { kind: 'html', status: 502, body: '<html><body><h1>502 Bad Gateway</h1></body></html>' },
    routes: [
      {
        method: 'GET',
        path: '/supported-assets',
        run: () => ok({ supportedAssets: BRIDGE_TOKENS.map(assetRow) }),
      },
      { method: 'POST', path: '/deposit', run: (call) => deposit(service, call) },
      {
        method: 'GET',
        path: '/status/:address',
        run: ({ params }) =>
          ok({
            transactions: service
              .transfersTo(params['address'] ?? '')
              .map((transfer) => transferRow(transfer, VENUE_A_CHAIN.collateral)),
          }),
      },
      { method: 'POST', path: '/sandbox/payments', run: ({ body }) => payment(service, body) },
    ],
  });
  return {
    url: server.url,
    work: () => service.work(),
    async close() {
      await server.close();
      await service.close();
    },
  };
}

const depositSchema = z.object({ address: z.string() });
const PAYABLE = BRIDGE_TOKENS.map(({ chainId }) => chainId).filter(
  (chainId) => chainId !== NON_EVM.solana,
);
const paymentSchema = z.strictObject({
  transaction: z.string().regex(/^[0-9a-zA-Z]{1,100}$/),
  chainId: z.enum(PAYABLE),
  address: z.string(),
  token: z.string().max(100),
  amount: z.string().regex(/^[1-9]\d{0,30}$/),
});

function deposit(service: BridgeService, { body, header }: Call): Reply {
  const asked = depositSchema.safeParse(readJson(body));
  const wallet = asked.success ? readAddress(asked.data.address) : null;
  if (wallet === null) return failed(400, 'invalid address');
  const address = service.addressesOf(getAddress(wallet));
  const warning = /^0x[0-9a-fA-F]{64}$/.test(header('x-builder-code'))
    ? {}
    : { warning: 'missing_builder_code' };
  return {
    kind: 'json',
    status: 201,
    body: {
      address,
      note: 'Only certain chains and tokens are supported. See /supported-assets for details.',
      ...warning,
    },
  };
}

async function payment(service: BridgeService, body: string): Promise<Reply> {
  const read = paymentSchema.safeParse(readJson(body));
  if (!read.success) return failed(400, z.prettifyError(read.error));
  const { transaction, chainId, ...paid } = read.data;
  if (!service.isOurs(paid.address)) return failed(404, 'not a deposit address of this bridge');
  if (service.hasNode(chainId)) {
    if (!BRIDGE_TOKENS.some((token) => token.chainId === chainId && token.address === paid.token))
      return failed(400, 'not a token of /supported-assets');
    return ok({ transactionHash: await service.makePayment(chainId, paid) });
  }
  service.pay(chainId, { ...paid, id: `${chainId}:${transaction}` });
  return ok({ taken: true });
}

function assetRow({
  chainId,
  chainName,
  name,
  symbol,
  address,
  decimals,
  minimumUsd,
}: (typeof BRIDGE_TOKENS)[number]): unknown {
  return {
    chainId,
    chainName,
    token: { name, symbol, address, decimals },
    minCheckoutUsd: minimumUsd,
  };
}
