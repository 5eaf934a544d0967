import { VENUE_C_ORDER } from '../../../../config/limits/venue-c.ts';
import {
  asId,
  type MarketId,
  type OrderId,
  type TokenId,
  type UserId,
} from '../../../domain/ids.ts';
import type { Catalogue } from '../../../ports/catalogue.ts';
import type { OrderRecords, RecordedOrder } from '../../../ports/order-records.ts';
import type { AccountToken } from '../auth.ts';
import type { VenueClient } from '../client.ts';
import { readHistory } from './history.ts';
import type { OrderAccounts } from './gateway.ts';
import { priceOf } from './fills.ts';
import type { StatedOrder } from './schema.ts';
import { readMarketRows, readResting, readStatuses } from './status.ts';

/**
 * Makes the reader of orders that the venue has and the books lack: those that rest, and those of
 * each market in which the account has traded. One that was matched in part and then cancelled is
 * in no list of the venue's, so its trades are left for the wallet's own books to show.
 */
export function createOrderRecords({
  client,
  accounts,
  catalogue,
}: {
  readonly client: VenueClient;
  readonly accounts: Pick<OrderAccounts, 'accountOf'>;
  readonly catalogue: Pick<Catalogue, 'marketOfToken'>;
}): OrderRecords {
  return {
    async strangers(userId: UserId, sinceMs, known) {
      const account = await accounts.accountOf(userId);
      const resting = await readResting(client, account);
      let { unread } = resting;
      const ids = new Set(resting.rows.map(({ id }) => asId<OrderId>(id)));
      const slugs = new Set(await tradedMarkets(client, account, sinceMs));
      for (const tokenId of known.tokens) {
        const market = await catalogue.marketOfToken(tokenId);
        if (market !== null) slugs.add(market.marketId);
      }
      for (const slug of slugs) {
        const rows = await readMarketRows(client, account, slug);
        if (rows === null) unread += 1;
        for (const { id } of rows ?? []) ids.add(asId<OrderId>(id));
      }
      const strange = [...ids].filter((orderId) => !known.has(orderId));
      const read: RecordedOrder[] = [];
      for (let from = 0; from < strange.length; from += VENUE_C_ORDER.statusBatchMaximum) {
        const batch = strange.slice(from, from + VENUE_C_ORDER.statusBatchMaximum);
        const stated = await readStatuses(client, account, batch);
        unread += batch.length - stated.size;
        for (const one of stated.values()) {
          // What does not rest matters by what it has moved since.
          const hasMoved =
            one.order.createdAt >= sinceMs && one.execution.totalsRaw.contractsGross > 0;
          if (!hasMoved && !resting.rows.some(isOf(one))) continue;
          const order = await recorded(catalogue, one);
          if (order === null) unread += 1;
          else read.push(order);
        }
      }
      return { read, unread };
    },
  };
}

function isOf({ order }: StatedOrder): (row: { readonly id: string }) => boolean {
  return ({ id }) => id === order.id;
}

/** Markets in which the account has traded at or after a moment. */
async function tradedMarkets(
  client: VenueClient,
  account: AccountToken,
  sinceMs: number,
): Promise<readonly MarketId[]> {
  const rows = await readHistory(client, account, sinceMs);
  return [...new Set(rows.map(({ market }) => market.slug))].map((slug) => asId<MarketId>(slug));
}

/** As the venue states it; null where its market is not known. */
async function recorded(
  catalogue: Pick<Catalogue, 'marketOfToken'>,
  stated: StatedOrder,
): Promise<RecordedOrder | null> {
  const { order, execution } = stated;
  const tokenId = asId<TokenId>(order.tokenId);
  const market = await catalogue.marketOfToken(tokenId);
  const outcome = market?.outcomes.findIndex((one) => one.tokenId === tokenId);
  if (market === null || (outcome !== 0 && outcome !== 1)) return null;
  const { side, makerAmount, takerAmount, orderType } = order;
  const { contractsGross, usdGross } = execution.totalsRaw;
  // An order by a sum of money, or for any price, is known by what it came to.
  const [spendMicros, receiveMicros] =
    orderType === 'FOK'
      ? side === 'buy'
        ? [usdGross, contractsGross]
        : [contractsGross, usdGross]
      : [makerAmount, takerAmount];
  const price = order.price ?? priceOf(contractsGross, usdGross);
  return {
    market,
    outcome,
    tokenId,
    side,
    life: orderType === 'GTC' ? 'rests' : 'part_now',
    price,
    spendMicros,
    receiveMicros,
    exact: side === 'buy' ? 'receive' : 'spend',
    createdAtMs: order.createdAt,
    expiresAtMs: null,
    attempt: {
      attemptId: asId(order.clientOrderId ?? order.id),
      orderId: asId<OrderId>(order.id),
      body: '',
      extra: null,
    },
  };
}
