import { T0 } from '../../support/builders.ts';
import { CLIENT_ID, EXCHANGE, ORDER_ID, YES } from './intents.ts';

/** What an order has come to, as venue_c.md section 8.2 writes it. */
export function anExecution(change: object = {}, totals: object = {}) {
  return {
    matched: false,
    settlementStatus: 'UNMATCHED',
    feeRateBps: 300,
    effectiveFeeBps: 0,
    tradeEventId: null,
    txHash: null,
    totalsRaw: {
      contractsGross: '0',
      contractsFee: '0',
      contractsNet: '0',
      usdGross: '0',
      usdFee: '0',
      usdNet: '0',
      ...totals,
    },
    ...change,
  };
}

/** An order as the same section writes it: ten shares at 0.5, to rest. */
export function aStatedOrder(
  parts: {
    readonly order?: object;
    readonly execution?: object;
    readonly makerMatches?: readonly object[];
  } = {},
) {
  return {
    order: {
      id: ORDER_ID,
      createdAt: new Date(T0).toISOString(),
      makerAmount: 5_000_000,
      takerAmount: '10000000',
      expiration: null,
      signatureType: 0,
      salt: 1,
      maker: EXCHANGE,
      signer: EXCHANGE,
      tokenId: YES,
      side: 0,
      orderType: 'GTC',
      price: 0.5,
      marketId: 36_814,
      clientOrderId: CLIENT_ID,
      ...parts.order,
    },
    makerMatches: parts.makerMatches ?? [],
    execution: parts.execution ?? anExecution(),
  };
}

/** A part of a trade, at T0 unless said otherwise. */
export function aMatch(id: string, shares: number, orderId: string, atMs = T0) {
  return {
    id,
    createdAt: new Date(atMs).toISOString(),
    matchedSize: String(shares * 1_000_000),
    orderId,
  };
}
