import { VENUE_C_ORDER } from '../../../../config/limits/venue-c.ts';
import { hexOf } from '../../../adapters/wire/hex.ts';
import { AppError } from '../../../domain/errors.ts';
import { asId, type AttemptId, type UserId } from '../../../domain/ids.ts';
import type { OrderIntent } from '../../../domain/order.ts';
import type { KeyVault } from '../../../ports/key-vault.ts';
import type { OrderSigner } from '../../../ports/order-signer.ts';
import type { Random } from '../../../ports/random.ts';
import type { VenueAccount } from '../account.ts';
import type { Allowances } from '../allowances.ts';
import { VENUE_C_ID } from '../id.ts';
import { orderBody } from './body.ts';
import type { OrderDigest } from './digest.ts';
import { ownOf } from '../own.ts';
import { readPrepared, type PreparedOrder } from './prepared.ts';

/**
 * Makes the signer: EIP-712 for the market's own exchange, by the user's key for its own account.
 * What it is signed with is deterministic (RFC 6979), and the attempt's name is made of the digest:
 * the same intent and preparation give the same bytes. Errors of `sign`: `internal`, `not_found`.
 */
export function createOrderSigner({
  vault,
  digestOf,
  random,
  accounts,
  allowances,
}: {
  readonly vault: Pick<KeyVault, 'addressOf' | 'signDigest'>;
  readonly digestOf: OrderDigest;
  readonly random: Random;
  readonly accounts: {
    /** Errors: those of an account that cannot be opened. */
    accountOf(userId: UserId): Promise<Pick<VenueAccount, 'ownerId' | 'feeRateBps'>>;
  };
  readonly allowances: Pick<Allowances, 'ensure'>;
}): OrderSigner {
  return {
    // A right of the wallet may have to be given first, which takes a transaction of its own.
    asksVenue: true,
    async prepare({ intent, market }): Promise<PreparedOrder> {
      const own = ownOf(market);
      if (own.tradeType !== 'clob')
        throw new AppError('internal', `market ${market.marketId} has no order book`);
      const { userId, side } = intent;
      await allowances.ensure(userId, { ...own, side });
      const { ownerId, feeRateBps } = await accounts.accountOf(userId);
      const salt = random.integer(VENUE_C_ORDER.saltBound);
      return { salt, exchange: own.exchange, feeRateBps, ownerId };
    },
    sign(intent, prepared) {
      const extra = readPrepared(prepared);
      checkIntent(intent);
      const { userId, side, tokenId } = intent;
      const { salt, feeRateBps, ownerId } = extra;
      const maker = vault.addressOf(userId);
      const digest = digestOf(maker, intent, extra);
      const clientOrderId = nameOf(digest);
      return {
        attemptId: asId<AttemptId>(clientOrderId),
        orderId: null,
        extra,
        body: orderBody({
          makerMicros: intent.spendMicros,
          takerMicros: intent.receiveMicros,
          salt,
          maker,
          tokenId,
          feeRateBps,
          side,
          price: intent.price,
          signature: hexOf(vault.signDigest(userId, digest)),
          orderType: intent.life === 'rests' ? 'GTC' : 'FAK',
          marketSlug: intent.marketId,
          ownerId,
          clientOrderId,
        }),
      };
    },
  };
}

/**
 * The name that the venue is given for an order: a version 4 UUID of the digest, for how long a
 * name may be is not stated, and its own ids have this form.
 */
function nameOf(digest: Uint8Array): string {
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

function checkIntent({ intentId, venue, life, spendMicros, receiveMicros }: OrderIntent): void {
  const refuse = (why: string): never => {
    throw new AppError('internal', `intent ${intentId}: ${why}`);
  };
  if (venue !== VENUE_C_ID) refuse(`venue ${venue} has another signer`);
  if (life === 'all_now') refuse('the venue bounds no all-or-nothing order by a price');
  for (const micros of [spendMicros, receiveMicros])
    if (!Number.isSafeInteger(micros) || micros <= 0) refuse('an amount is not positive');
}
