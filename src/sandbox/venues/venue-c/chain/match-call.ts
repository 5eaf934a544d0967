import {
  encodeFunctionData,
  keccak256,
  stringToHex,
  zeroAddress,
  type Hex,
  type PrivateKeyAccount,
} from 'viem';
import { contractsOf } from '../chain-addresses.ts';
import type { VenueMarket } from '../model/market.ts';
import { MAKER_ID, type SignedOrder, type TradePart, type VenueTrade } from '../model/order.ts';
import { typedOrder } from '../order-type.ts';
import { BOOK_EXCHANGE_ABI } from './exchange-abi.ts';

/** A trade, and the orders of its users as they signed them. */
export interface MatchToSettle {
  readonly trade: VenueTrade;
  readonly market: VenueMarket;
  /** The order a part is of, as its user signed it; null for one of the market maker's. */
  readonly signedOf: (part: TradePart) => SignedOrder | null;
  /** A signature by no key: the chain refuses it whoever checks. */
  readonly isSpoilt: boolean;
}

/**
 * The call that settles a trade: users' orders as they signed them, the market maker's signed now,
 * over exactly what it trades. What it trades with itself is left out.
 */
export async function matchCall(
  match: MatchToSettle,
  maker: PrivateKeyAccount,
): Promise<{ readonly to: Hex; readonly data: Hex }> {
  const { trade } = match;
  const ofUsers = trade.makers.filter(({ ownerId }) => ownerId !== MAKER_ID);
  const isMakers = trade.taker.ownerId === MAKER_ID;
  const makers = isMakers ? ofUsers : trade.makers;
  const taker = isMakers ? restOf(trade.taker, ofUsers) : trade.taker;
  const parts = await Promise.all(
    [taker, ...makers].map((part, index) => partOf(match, maker, { part, index })),
  );
  const [first, ...others] = parts;
  if (first === undefined) throw new Error(`trade ${trade.tradeId} has no taker`);
  const { signature } = first;
  const fee = taker.side === 'buy' ? trade.feeShares : trade.feeUsdc;
  return {
    to: contractsOf(match.market).exchange,
    data: encodeFunctionData({
      abi: BOOK_EXCHANGE_ABI,
      functionName: 'matchOrders',
      args: [
        match.isSpoilt
          ? { ...first, signature: `0x${'11'.repeat(65)}` as const }
          : { ...first, signature },
        others,
        BigInt(fee),
      ],
    }),
  };
}

/** What the market maker takes of users alone. */
function restOf(taker: TradePart, makers: readonly TradePart[]): TradePart {
  const sum = (pick: (part: TradePart) => number) =>
    makers.reduce((total, part) => total + pick(part), 0);
  return {
    ...taker,
    shares: sum(({ shares }) => shares),
    usdc: sum(({ shares, usdc, outcome }) => (outcome === taker.outcome ? usdc : shares - usdc)),
  };
}

async function partOf(
  { trade, market, signedOf }: MatchToSettle,
  account: PrivateKeyAccount,
  { part, index }: { readonly part: TradePart; readonly index: number },
) {
  const { exchange } = contractsOf(market);
  const signed = signedOf(part);
  if (signed !== null)
    return {
      order: typedOrder(signed, exchange).message,
      signature: signed.signature as Hex, // the order intake has checked it
      fill: fillOf(signed, part, index === 0),
    };
  const isBuy = part.side === 'buy';
  const own = typedOrder(
    {
      // One trade and place, one order: a second attempt signs the same.
      salt: Number(BigInt(keccak256(stringToHex(`${trade.tradeId}:${index}`))) >> 204n),
      maker: account.address,
      signer: account.address,
      taker: zeroAddress,
      tokenId: market.tokens[part.outcome],
      makerAmount: isBuy ? part.usdc : part.shares,
      takerAmount: isBuy ? part.shares : part.usdc,
      expiration: '0',
      nonce: 0,
      feeRateBps: 0,
      side: isBuy ? 0 : 1,
      signatureType: 0,
    },
    exchange,
  );
  return {
    order: own.message,
    signature: await account.signTypedData(own),
    fill: own.message.makerAmount,
  };
}

/**
 * How much of its makerAmount an order uses up: what it sells, or what it pays. A taker that buys
 * by price uses up its own price's worth: what a better one saved is not to be spent again.
 */
function fillOf(signed: SignedOrder, { side, shares, usdc }: TradePart, isTaker: boolean): bigint {
  if (side === 'sell') return BigInt(shares);
  if (!isTaker || signed.takerAmount === 1) return BigInt(usdc);
  return (BigInt(signed.makerAmount) * BigInt(shares)) / BigInt(signed.takerAmount);
}
