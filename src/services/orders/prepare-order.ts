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
  const { venue, request } = input;
  return request.type.kind === 'market' && venue.traits.bookIsPolled === true
    ? prepareByNewBook(deps, userId, input)
    : prepareOnce(deps, userId, input);
}

async function prepareByNewBook(
  deps: PrepareDeps,
  userId: UserId,
  input: PrepareInput,
): Promise<PreparedOrder> {
  const { venue, market, request } = input;
  try {
    return await prepareOnce(deps, userId, input);
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'no_liquidity';
    if (!isRefused || venue.warmBook === null) throw error;
    const { tokenId } = market.outcomes[request.outcome];
    await venue.warmBook(market, tokenId, deps.clock.nowMs());
    // It is drafted by the book of now: its age begins anew.
    return prepareOnce(deps, userId, { ...input, requestedAtMs: deps.clock.nowMs() });
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
