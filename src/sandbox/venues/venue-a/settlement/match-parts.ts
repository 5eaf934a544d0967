import { keccak256, stringToHex, zeroHash, type Hex, type PrivateKeyAccount } from 'viem';
import { VENUE_A_CHAIN } from '../chain/chain-addresses.ts';
import {
  chainOrderHash,
  signChainOrder,
  type ChainOrder,
  type MatchPart,
} from '../chain/exchange-orders.ts';
import { isMakerOwner } from '../../../engine/engine-state.ts';
import { isMarketType } from '../../../engine/order-rules.ts';
import type { SettledPart, SettlementJob } from '../../../engine/settler.ts';

/** The exchange a trade settles on. */
export function exchangeOf({ negRisk }: Pick<SettlementJob, 'negRisk'>): Hex {
  return negRisk ? VENUE_A_CHAIN.negRiskExchange : VENUE_A_CHAIN.exchange;
}

/**
 * What the operator hands to the exchange: users' orders as they signed them, the market maker's
 * signed now, over exactly what it trades.
 */
export async function matchParts(
  job: SettlementJob,
  maker: PrivateKeyAccount,
): Promise<{ readonly taker: MatchPart; readonly makers: readonly MatchPart[] }> {
  const partOf = (part: SettledPart, index: number) =>
    isMakerOwner(part.order.owner)
      ? makerPart(job, { part, index }, maker)
      : userPart(part, index > 0);
  return {
    taker: await partOf(job.taker, 0),
    makers: await Promise.all(job.makers.map((part, index) => partOf(part, index + 1))),
  };
}

/** What a match takes of an order, and its place: the taker's is 0. */
interface PlacedPart {
  readonly part: SettledPart;
  readonly index: number;
}

/** Hashes of the orders that the market maker signs for one trade alone. */
export function makerOrderHashes(job: SettlementJob, maker: PrivateKeyAccount): readonly Hex[] {
  return [job.taker, ...job.makers].flatMap((part, index) =>
    isMakerOwner(part.order.owner)
      ? [chainOrderHash(makerOrder(job, { part, index }, maker), exchangeOf(job))]
      : [],
  );
}

function userPart({ order, shares, usdc }: SettledPart, isMaker: boolean): MatchPart {
  const { signed, side, makerMicros, takerMicros } = order;
  if (signed === undefined) throw new Error(`order ${order.orderId} came without its signature`);
  if (signed.signatureType === 1)
    throw new Error(`order ${order.orderId} is a proxy's, and there are none on this chain`);
  return {
    order: {
      salt: BigInt(signed.salt),
      maker: address(order.maker),
      signer: address(signed.signer),
      tokenId: BigInt(order.tokenId),
      makerAmount: BigInt(makerMicros),
      takerAmount: BigInt(takerMicros),
      side: side === 'buy' ? 0 : 1,
      signatureType: signed.signatureType,
      timestamp: BigInt(signed.timestamp),
      metadata: address(signed.metadata),
      builder: address(signed.builder),
    },
    signature: address(signed.signature),
    fill: BigInt(
      side === 'sell'
        ? shares
        : isMaker || isMarketType(order)
          ? usdc
          : usedUp(makerMicros, takerMicros, shares),
    ),
  };
}

/**
 * Of a resting order's money so much belongs to `shares`: what a better price saved is the taker's,
 * and not to be spent again.
 */
function usedUp(makerMicros: number, takerMicros: number, shares: number): bigint {
  return (BigInt(makerMicros) * BigInt(shares)) / BigInt(takerMicros);
}

function makerOrder(
  { tradeId }: SettlementJob,
  { part, index }: PlacedPart,
  maker: PrivateKeyAccount,
): ChainOrder {
  const {
    order: { side, tokenId },
    shares,
    usdc,
  } = part;
  return {
    // One trade and place, one order: a second attempt signs the same.
    salt: BigInt(keccak256(stringToHex(`${tradeId}:${index}`))),
    maker: maker.address,
    signer: maker.address,
    tokenId: BigInt(tokenId),
    makerAmount: BigInt(side === 'buy' ? usdc : shares),
    takerAmount: BigInt(side === 'buy' ? shares : usdc),
    side: side === 'buy' ? 0 : 1,
    signatureType: 0,
    timestamp: 0n,
    metadata: zeroHash,
    builder: zeroHash,
  };
}

async function makerPart(
  job: SettlementJob,
  placed: PlacedPart,
  maker: PrivateKeyAccount,
): Promise<MatchPart> {
  const order = makerOrder(job, placed, maker);
  return {
    order,
    signature: await signChainOrder(maker, order, exchangeOf(job)),
    fill: order.makerAmount,
  };
}

function address(text: string): Hex {
  return text as Hex; // checked 0x hex: the order intake read it
}
