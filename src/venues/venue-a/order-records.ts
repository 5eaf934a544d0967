import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { VenueFill } from '../../domain/fill.ts';
import { asId, type OrderId, type TokenId } from '../../domain/ids.ts';
import { lifeOf } from '../../domain/time-in-force.ts';
import {
  costMicros,
  mulDiv,
  parsePrice,
  parseShares,
  priceTicks,
  shareMicros,
  TICKS_PER_USD,
} from '../../domain/units.ts';
import type { Catalogue } from '../../ports/catalogue.ts';
import type { ListingGateway } from '../../ports/order-gateway.ts';
import type { OrderRecords, RecordedOrder } from '../../ports/order-records.ts';
import type { Accounts } from './accounts.ts';
import type { Account, VenueClient } from './client.ts';

/** What is read of an order beside its state (venue_a.md section 4.4). */
const termsSchema = z.object({
  asset_id: z.string().min(1),
  side: z.enum(['BUY', 'SELL']),
  original_size: z.string(),
  price: z.string(),
  order_type: z.enum(['FOK', 'FAK', 'GTC', 'GTD']),
  created_at: z.coerce.number().int().positive(),
  expiration: z.coerce.number().int().nonnegative(),
});

type Terms = Pick<
  RecordedOrder,
  | 'side'
  | 'life'
  | 'price'
  | 'spendMicros'
  | 'receiveMicros'
  | 'exact'
  | 'createdAtMs'
  | 'expiresAtMs'
> & { readonly tokenId: TokenId };

/**
 * Makes the reader of orders that the venue has and the books lack: those in its list of open
 * orders, and those of the trades it lists. Their terms are the venue's own; of one it has dropped
 * already they are what it traded.
 */
export function createOrderRecords(parts: {
  readonly client: VenueClient;
  readonly accounts: Pick<Accounts, 'accountOf'>;
  readonly gateway: Pick<ListingGateway, 'fills' | 'openOrders'>;
  readonly catalogue: Pick<Catalogue, 'marketOfToken'>;
}): OrderRecords {
  const { client, accounts, gateway, catalogue } = parts;
  return {
    async strangers(userId, sinceMs, known) {
      const open = await gateway.openOrders(userId);
      const traded = await gateway.fills(userId, sinceMs);
      const fills = new Map<OrderId, VenueFill[]>();
      for (const fill of traded.read)
        if (!known.has(fill.orderId))
          fills.set(fill.orderId, [...(fills.get(fill.orderId) ?? []), fill]);
      const ids = open.read.map(({ orderId }) => orderId).filter((orderId) => !known.has(orderId));
      const read: RecordedOrder[] = [];
      let unread = open.unread + traded.unread;
      for (const orderId of new Set([...ids, ...fills.keys()])) {
        const stated = await statedTerms(client, await accounts.accountOf(userId), orderId);
        const terms = stated ?? tradedTerms(fills.get(orderId) ?? []);
        const market = terms && (await catalogue.marketOfToken(terms.tokenId));
        const outcome = market?.outcomes.findIndex(({ tokenId }) => tokenId === terms?.tokenId);
        if (terms === null || market === null || (outcome !== 0 && outcome !== 1)) unread += 1;
        else
          read.push({
            ...terms,
            market,
            outcome,
            attempt: { attemptId: asId(orderId), orderId, body: '', extra: null },
          });
      }
      return { read, unread };
    },
  };
}

/** As the venue states them; null where it has dropped the order. */
async function statedTerms(
  client: VenueClient,
  account: Account,
  orderId: OrderId,
): Promise<Terms | null> {
  const answer = await client.read({
    family: 'ledger',
    method: 'GET',
    path: `/data/order/${orderId}`,
    account,
  });
  if (answer === null || answer === '') return null;
  const wire = termsSchema.safeParse(answer);
  const price = wire.success ? parsePrice(wire.data.price) : null;
  const size = wire.success ? parseShares(wire.data.original_size) : null;
  if (!wire.success || price === null || size === null)
    throw new AppError('venue_protocol', `unexpected order format from venue_a: ${orderId}`);
  const { side, asset_id, order_type, created_at, expiration } = wire.data;
  const life = lifeOf(order_type);
  const shared = {
    tokenId: asId<TokenId>(asset_id),
    price,
    life,
    createdAtMs: created_at * 1_000,
    expiresAtMs: life === 'rests' && expiration > 0 ? expiration * 1_000 : null,
  };
  // A purchase at the market states its money there.
  if (side === 'BUY' && life !== 'rests')
    return {
      ...shared,
      side: 'buy',
      exact: 'spend',
      spendMicros: size,
      receiveMicros: mulDiv(size, TICKS_PER_USD, price, 'floor'),
    };
  return side === 'BUY'
    ? {
        ...shared,
        side: 'buy',
        exact: 'receive',
        spendMicros: costMicros(size, price, 'ceil'),
        receiveMicros: size,
      }
    : {
        ...shared,
        side: 'sell',
        exact: 'spend',
        spendMicros: size,
        receiveMicros: costMicros(size, price, 'floor'),
      };
}

/** Null without a trade. */
function tradedTerms(fills: readonly VenueFill[]): Terms | null {
  const [first] = fills;
  if (first === undefined) return null;
  const { side, tokenId } = first;
  const legs = fills.flatMap((fill) => fill.legs);
  const prices = legs.map(({ price }) => price);
  const price = priceTicks(side === 'buy' ? Math.max(...prices) : Math.min(...prices));
  const shares = shareMicros(legs.reduce((sum, leg) => sum + leg.shares, 0));
  const usdc = costMicros(shares, price, side === 'buy' ? 'ceil' : 'floor');
  return {
    side,
    tokenId,
    price,
    life: 'part_now',
    exact: side === 'buy' ? 'receive' : 'spend',
    spendMicros: side === 'buy' ? usdc : shares,
    receiveMicros: side === 'buy' ? shares : usdc,
    createdAtMs: Math.min(...fills.map(({ matchedAtMs }) => matchedAtMs)),
    expiresAtMs: null,
  };
}
