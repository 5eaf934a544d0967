import { asId, type OrderId, type TokenId, type UserId } from '../../domain/ids.ts';
import { TICKS_PER_USD, priceTicks } from '../../domain/units.ts';
import type { Catalogue } from '../../ports/catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KnownOrders, OrderRecords, RecordedOrder } from '../../ports/order-records.ts';
import type { WalletReads } from '../../ports/venue.ts';
import type { VenueClient } from './client.ts';
import { readOrderStatus, type OrderStatus } from './order-status.ts';
import type { PreparedOrder } from './prepared.ts';

/** A transaction of the wallet that gave something, as the venue knows it as an opening. */
interface Opening {
  readonly signature: string;
  /** Micros it gave. */
  readonly given: number;
  readonly status: OrderStatus;
}

/**
 * Makes the reader of orders that the chain has and the books lack. The venue lists none: each
 * transaction that took something out of the wallet is asked about by its name. What it was to
 * bring at least is on no record; what it brought is.
 */
export function createOrderRecords(parts: {
  readonly client: VenueClient;
  readonly wallet: WalletReads;
  readonly catalogue: Pick<Catalogue, 'marketOfToken'>;
  readonly clock: Clock;
}): OrderRecords {
  const { client, wallet, catalogue, clock } = parts;
  return {
    async strangers(userId, _sinceMs, known) {
      const read: RecordedOrder[] = [];
      let unread = 0;
      const held = (await wallet.holdings(userId, [])).tokens.keys();
      const traded = new Set([...held, ...known.tokens]);
      // Purchases first: they name the tokens whose sales are read.
      for (const tokenId of [null, ...traded]) await take(tokenId);
      const bought = read.map((order) => order.tokenId).filter((tokenId) => !traded.has(tokenId));
      for (const tokenId of new Set(bought)) await take(tokenId);
      return { read, unread };

      async function take(tokenId: TokenId | null): Promise<void> {
        const openings = await openingsOf(client, wallet, { userId, tokenId, known });
        if (openings === null) unread += 1;
        for (const opening of openings ?? []) {
          const order = await recorded(catalogue, opening, tokenId);
          if (order === null) unread += 1;
          else read.push({ ...order, createdAtMs: clock.nowMs() });
        }
      }
    },
  };
}

interface Place {
  readonly userId: UserId;
  readonly tokenId: TokenId | null;
  readonly known: KnownOrders;
}

/** Null where not all that moved the token can be read, or is final. */
async function openingsOf(
  client: VenueClient,
  wallet: WalletReads,
  { userId, tokenId, known }: Place,
): Promise<readonly Opening[] | null> {
  const history = await wallet.history(userId, tokenId, null);
  if (history.kind !== 'read') return null;
  const found: Opening[] = [];
  for (const { transactionHash: signature, micros } of history.movements) {
    if (micros >= 0 || known.has(asId<OrderId>(signature))) continue;
    const status = await readOrderStatus(client, signature, 0);
    if (status !== null && !isGivenBack(status)) found.push({ signature, given: -micros, status });
  }
  return found;
}

/** All came back: on record are two movements, and no trade. */
function isGivenBack({ status, fills }: OrderStatus): boolean {
  return (status === 'closed' || status === 'expired' || status === 'failed') && fills.length === 0;
}

/** But for its time; null for one that has not ended, or whose market is not known. */
async function recorded(
  catalogue: Pick<Catalogue, 'marketOfToken'>,
  { signature, given, status }: Opening,
  sold: TokenId | null,
): Promise<Omit<RecordedOrder, 'createdAtMs'> | null> {
  if (status.status !== 'closed' && status.status !== 'expired' && status.status !== 'failed')
    return null;
  const [fill] = status.fills;
  const tokenId = sold ?? (fill === undefined ? null : asId<TokenId>(fill.outputMint));
  const market = tokenId === null ? null : await catalogue.marketOfToken(tokenId);
  const outcome = market?.outcomes.findIndex((one) => one.tokenId === tokenId);
  if (tokenId === null || market === null || (outcome !== 0 && outcome !== 1)) return null;
  const brought = status.fills.reduce((sum, { outAmount }) => sum + outAmount, 0);
  const used = status.fills.reduce((sum, { inAmount }) => sum + inAmount, 0);
  const returned = status.reverts.reduce((sum, { amount }) => sum + amount, 0);
  const [shares, usdc] = sold === null ? [brought, used] : [used, brought];
  const prices = status.fills.map(({ inAmount, outAmount }) =>
    sold === null ? inAmount / outAmount : outAmount / inAmount,
  );
  const worst = sold === null ? Math.max(0, ...prices) : Math.min(1, ...prices);
  const prepared: PreparedOrder = {
    transaction: '',
    blockhash: '',
    lastValidBlockHeight: 0,
    seenAtHeight: 0,
    amountMicros: given,
    isSponsored: null,
  };
  return {
    market,
    outcome,
    tokenId,
    side: sold === null ? 'buy' : 'sell',
    // What won is paid whole, a dollar a share.
    ...(sold !== null && used > 0 && brought === used ? { isRedemption: true as const } : {}),
    life: returned > 0 ? 'part_now' : 'all_now',
    price: priceTicks(Math.min(Math.max(Math.round(worst * TICKS_PER_USD), 1), TICKS_PER_USD - 1)),
    spendMicros: sold === null ? usdc : given,
    // Money beside whole contracts comes back of what was filled, too.
    receiveMicros: sold === null ? shares : usdc,
    exact: sold === null ? 'receive' : 'spend',
    expiresAtMs: null,
    attempt: {
      attemptId: asId(signature),
      orderId: asId<OrderId>(signature),
      body: '',
      extra: { ...prepared },
    },
  };
}
