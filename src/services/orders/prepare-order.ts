import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { OrderIntent, OrderRecord } from '../../domain/order.ts';
import type { RiskCaps } from '../../domain/reservation.ts';
import type { Prepared } from '../../ports/order-signer.ts';
import type { Store } from '../../ports/store.ts';
import type { TradedVenue } from '../venues.ts';
import { assertAdmissible, madeBefore } from './admission.ts';
import { draftIntent, type DraftDeps, type DraftInput } from './order-draft.ts';
import type { PlaceOrder } from './place-order.ts';

export interface PrepareDeps extends DraftDeps {
  readonly store: Store;
  /** Of the operator, for each user. */
  readonly caps: RiskCaps;
}

/** What is wanted, and where. */
interface PrepareInput extends DraftInput {
  readonly venue: TradedVenue;
  readonly market: Market;
  readonly request: PlaceOrder;
}

/** An order that is ready to be taken in; `made`: it was made before under the same key. */
export type PreparedOrder =
  | { readonly kind: 'made'; readonly record: OrderRecord }
  | { readonly kind: 'ready'; readonly intent: OrderIntent; readonly prepared: Prepared | null };

/**
 * Drafts an order under the lock of its cash account, and has its venue prepare it, without a wait
 * where the venue asks for none. One that is refused by a book that is read from time to time is
 * drafted once more by the next reading: the last one may have gone by. Errors: as `Orders.place`.
 */
export function prepareOrder(
  deps: PrepareDeps,
  userId: UserId,
  input: PrepareInput,
): PreparedOrder | Promise<PreparedOrder> {
  return mayBePassed(input)
    ? byNextReading(deps, input, (requestedAtMs) =>
        prepareOnce(deps, userId, {
          ...input,
          requestedAtMs: requestedAtMs ?? input.requestedAtMs,
        }),
      )
    : prepareOnce(deps, userId, input);
}

/** The market order a draft is of. */
type Drafted = Pick<PrepareInput, 'venue' | 'market' | 'request'>;

/** A market order by a book that is read from time to time: a trade may have gone by it. */
function mayBePassed({ venue, request }: Drafted): boolean {
  return request.type.kind === 'market' && venue.traits.bookIsPolled === true;
}

/**
 * Makes something of a draft, and where a book that is read from time to time refuses it for want
 * of liquidity, once more by the next reading. `make` gets the moment from which that one is asked
 * for; null the first time.
 */
export async function byNextReading<Made>(
  { clock }: Pick<PrepareDeps, 'clock'>,
  drafted: Drafted,
  make: (requestedAtMs: number | null) => Made | Promise<Made>,
): Promise<Made> {
  try {
    return await make(null);
  } catch (error) {
    const { venue, market, request } = drafted;
    const isRefused = error instanceof AppError && error.code === 'no_liquidity';
    if (!isRefused || venue.warmBook === null || !mayBePassed(drafted)) throw error;
    await venue.warmBook(market, market.outcomes[request.outcome].tokenId, clock.nowMs());
    // It is drafted by the book of now: its age begins anew.
    return make(clock.nowMs());
  }
}

function prepareOnce(
  deps: PrepareDeps,
  userId: UserId,
  { venue, market, request, ...drafting }: PrepareInput,
): PreparedOrder | Promise<PreparedOrder> {
  const intent = draftIntent(deps, userId, { venue, market, request, ...drafting });
  if (intent.restsAt === 'service') return { kind: 'ready', intent, prepared: null };
  if (venue.signer.asksVenue === true) {
    // Whoever came first with the same key had the lock before.
    const first =
      request.idempotencyKey === undefined
        ? null
        : madeBefore(deps.store, userId, request.idempotencyKey);
    if (first !== null) return { kind: 'made', record: first };
    const { rules } = venue;
    assertAdmissible(deps.store, { intent, market, request, rules, caps: deps.caps });
  }
  const ready = (prepared: Prepared | null) => ({ kind: 'ready', intent, prepared }) as const;
  const preparing = venue.signer.prepare?.({ intent, market, atMs: intent.createdAtMs }) ?? null;
  return preparing instanceof Promise ? preparing.then(ready) : ready(preparing);
}
