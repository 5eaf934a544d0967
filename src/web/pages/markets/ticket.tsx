import { amountFault } from '../../format/amount.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { memo, useEffect, useRef, useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { pendingRequest, sendOnce } from '../../api/money-request.ts';
import type { Problem } from '../../api/problem.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Estimate, Market, Order, OrderBody, OrderCalls } from '../../api/venues.ts';
import { Refusal } from '../../app/refusal.tsx';
import { cents, sellable as sellableShares, usd } from '../../format/money.ts';
import { plainWords } from '../../format/plain-words.ts';
import { sentence, words } from '../../format/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Segment } from '../../ui/form.tsx';
import { leftoverNote } from '../portfolio/position-note.ts';
import { Term } from '../../ui/term.tsx';
import { BuyAmounts, QUICK_USD } from './amount-buttons.tsx';
import { type AmountLimits, beyondLimits } from './amount-limits.ts';
import type { BookStanding } from './book-ladder.tsx';
import { orderOf } from './order-body.ts';
import { estimateRows } from './estimate-rows.ts';
import type { Quotes } from './outcome-quotes.ts';
import { PlacedOrder } from './placed-order.tsx';
import styles from './markets.module.css';

/** An estimate is asked for once typing has stopped for so long. */
const TYPED_MS = 300;

/** An estimate is asked for anew when the price has stayed where it moved to for so long. */
const MOVED_MS = 400;

/**
 * Buys and sells: says what it would do before, sends it once however often it is pressed, and
 * follows it to its end.
 */
export const Ticket = memo(function Ticket({
  market,
  calls,
  isPool,
  leastShares,
  side,
  onSide,
  offered,
  standing,
  quotes,
}: {
  readonly market: Market;
  readonly calls: OrderCalls;
  /** True where it is traded with a contract that has no book. */
  readonly isPool: boolean;
  /** The least an order takes of shares, in words. */
  readonly leastShares: string;
  readonly side: 'yes' | 'no';
  onSide(side: 'yes' | 'no'): void;
  /** A price that was pressed in the book, in cents. */
  readonly offered: string | null;
  readonly standing: BookStanding;
  readonly quotes: Quotes;
}) {
  const [action, setAction] = useState<'buy' | 'sell'>('buy');
  const [orderType, setOrderType] = useState<'market' | 'limit'>('market');
  const [amount, setAmount] = useState('5');
  const [price, setPrice] = useState('');
  const { isBusy, problem: refused, make } = useAttempt();
  /** What was sent last: a refusal is of that, and of nothing typed since. */
  const [sent, setSent] = useState('');
  const [placed, setPlaced] = useState<Order | null>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const isAnswered = placed !== null || refused !== null;
  useEffect(() => {
    // at once, not smoothly: on a phone it lies below the bar at the bottom
    if (isAnswered) outcome.current?.scrollIntoView({ block: 'nearest' });
  }, [isAnswered]);
  const [taken, setTaken] = useState(offered);
  if (offered !== taken) {
    setTaken(offered);
    if (offered !== null) {
      setOrderType('limit');
      setPrice(offered);
    }
  }
  const form = `order ${market.venue} ${market.marketId}`;
  const body: OrderBody = {
    marketId: market.marketId,
    side,
    action,
    amount: amount.trim(),
    orderType,
    orderMode: action === 'buy' ? 'dollars' : 'shares',
    ...(orderType === 'limit' ? { price: calls.price(price) } : {}),
  };
  const problem = sent === JSON.stringify(body) ? refused : null;
  const isComplete = orderType === 'market' || price !== '';
  const estimate = useEstimate(calls, body, {
    isComplete,
    quote: quotes[side][action === 'buy' ? 'ask' : 'bid'],
  });
  const order = orderOf(body, estimate.ofThis, pendingRequest(form));
  const { held, limits } = useLimits(market, side);
  const sellable = held?.position.sellableShares ?? null;
  const isUnanswered = pendingRequest(form)?.body === JSON.stringify(order) && problem !== null;
  const isEmpty = body.amount === '';
  const typedFault = amountFault(amount);
  const label = market.outcomes.find((outcome) => outcome.side === side)?.label ?? side;
  const send = async (): Promise<void> => {
    setPlaced(null);
    setSent(JSON.stringify(body));
    await make(async () => {
      setPlaced(await sendOnce(form, order, (key) => calls.place(order, key)));
    });
    // what was refused is sent again by what the book asks then
    void estimate.again();
    void readAgain(['GET /api/portfolio/', 'GET /api/portfolio/orders']);
  };
  return (
    <Card
      title={
        <Segment<'buy' | 'sell'>
          label="Buy or sell"
          value={action}
          choices={[
            ['buy', 'Buy'],
            ['sell', 'Sell'],
          ]}
          onChange={(chosen) => {
            setAction(chosen);
            // Dollars of a purchase are no shares of a sale.
            setAmount(chosen === 'buy' ? QUICK_USD[0] : '');
            setPlaced(null);
          }}
        />
      }
      aside={
        <Segment<'market' | 'limit'>
          label="Kind of order"
          value={orderType}
          choices={[
            ['market', 'Market'],
            ['limit', 'Limit'],
          ]}
          onChange={setOrderType}
        />
      }
    >
      <form
        className={styles['ticket']}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <fieldset className={styles['sides']}>
          <legend className="hidden-visually">Outcome</legend>
          {market.outcomes.map((outcome) => (
            <label key={outcome.side}>
              <input
                type="radio"
                name="side"
                checked={outcome.side === side}
                onChange={() => onSide(outcome.side)}
              />
              <bdi>{outcome.label}</bdi>
              <span className={standing.isLost || !standing.isTrusted ? styles['old'] : undefined}>
                {cents(quotes[outcome.side][action === 'buy' ? 'ask' : 'bid'])}
              </span>
            </label>
          ))}
        </fieldset>
        <Field
          label={
            action === 'buy' ? 'Amount' : `Shares, of ${sellableShares(sellable)} that can be sold`
          }
          inputMode="decimal"
          value={amount}
          {...(action === 'buy' ? { before: '$' } : {})}
          fault={amountFault(amount) ?? problem?.faultOf('amount') ?? null}
          hint={calls.amountHint[action]}
          onChange={(event) => setAmount(event.target.value)}
        />
        {action === 'sell' && held !== null && Number(sellable) === 0 ? (
          <p className="muted">
            {leftoverNote(held, leastShares) ??
              'Shares of a trade that still settles, or of another sale, cannot be sold yet.'}
          </p>
        ) : null}
        {action === 'buy' ? (
          <BuyAmounts
            amount={amount}
            available={limits.available}
            ask={
              isComplete
                ? (all) => calls.estimate({ ...body, amount: all }, new AbortController().signal)
                : null
            }
            onAmount={setAmount}
          />
        ) : (
          <div className={styles['quick']}>
            <Button
              isSmall
              disabled={sellable === null || Number(sellable) === 0}
              onClick={() => setAmount(sellable ?? '')}
            >
              All
            </Button>
          </div>
        )}
        {orderType === 'limit' ? (
          <Field
            label="Price"
            inputMode="decimal"
            value={price}
            after="¢"
            fault={problem?.faultOf('price') ?? null}
            hint={
              isPool
                ? 'It waits here, and goes to the pool once all of it is to be had at this price, until you cancel it or a day has passed.'
                : 'It rests until it fills, you cancel it, or a day has passed.'
            }
            onChange={(event) => setPrice(event.target.value)}
          />
        ) : null}
        {/* the last estimate is kept until the next one comes, and an empty field has no estimate */}
        {isEmpty || typedFault !== null || estimate.data?.orderType !== orderType ? null : (
          <EstimateView
            estimate={estimate.data ?? null}
            action={action}
            label={label}
            venue={words(market.venue)}
            poolTick={isPool ? market.tickSize : null}
          />
        )}
        <Button
          variant={side === 'yes' ? 'up' : 'down'}
          type="submit"
          isWide
          isBusy={isBusy}
          blocked={
            // an order on its way keeps any other out, itself as well: no reason to name
            isBusy
              ? null
              : isEmpty
                ? 'Say how much first.'
                : orderType === 'limit' && price.trim() === ''
                  ? 'Say the price first.'
                  : (typedFault ??
                    (isUnanswered
                      ? null
                      : beyondLimits(action, amount.trim(), limits, words(market.venue))) ??
                    blockedBy(orderType, standing, estimate.data ?? null, estimate.error) ??
                    (orderType === 'market' && estimate.ofThis === null && !isUnanswered
                      ? 'One moment: the price is being asked for.'
                      : null))
          }
        >
          {isUnanswered
            ? 'Ask again: it stays the same order'
            : action === 'buy'
              ? `Buy ${label}${typedFault === null ? ` for ${usd(isEmpty ? '0' : amount.trim())}` : ''}`
              : `Sell${typedFault === null && !isEmpty ? ` ${amount} of` : ''} ${label}`}
        </Button>
        <div ref={outcome} className={styles['outcome']}>
          <Refusal
            problem={problem}
            what="order"
            fields={orderType === 'limit' ? ['amount', 'price'] : ['amount']}
          />
          {/* there before the order is, so that what becomes of it is read out */}
          <div role="status">
            {placed === null ? null : (
              <PlacedOrder
                key={placed.id}
                order={placed}
                calls={calls}
                isPool={isPool}
                // what was done is not done again by the next press; what was typed since stays
                onTaken={() => (sent === JSON.stringify(body) ? setAmount('') : undefined)}
              />
            )}
          </div>
        </div>
      </form>
    </Card>
  );
});

/** Why an order cannot be sent just now, in a sentence for its button. */
function blockedBy(
  orderType: 'market' | 'limit',
  { isLost, isTrusted, ended }: BookStanding,
  estimate: Estimate | null,
  fault: Problem | null,
): string | null {
  if (ended !== null) return ended;
  if (orderType === 'market' && isLost)
    return 'The connection is lost, so the price is not known. A limit order still goes.';
  if (orderType === 'market' && !isTrusted)
    return 'The book is late, so the price is not known. A limit order still goes.';
  // What the order would be refused for too: its amount, an empty book, an ended market.
  if (fault !== null && (fault.status === 422 || fault.status === 409)) return fault.message;
  const refusal = estimate?.refusal ?? null;
  return refusal && sentence(plainWords(refusal.code, refusal.detail));
}

function useEstimate(
  calls: OrderCalls,
  body: OrderBody,
  { isComplete, quote }: { readonly isComplete: boolean; readonly quote: string | null },
) {
  // What was typed before may lack what is typed now: it is asked about only if it was complete.
  const [{ body: settled, isComplete: wasComplete }, setSettled] = useState({ body, isComplete });
  const text = JSON.stringify(body);
  useEffect(() => {
    // parsed anew, so that the effect hangs on the text alone
    const typed = { body: JSON.parse(text) as OrderBody, isComplete };
    const timer = setTimeout(() => setSettled(typed), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text, isComplete]);
  const isAsked = isComplete && wasComplete && /^\d*\.?\d+$/.test(String(settled.amount));
  const asked = useQuery<Estimate, Problem>({
    queryKey: ['estimate', settled],
    queryFn: ({ signal }) => calls.estimate(settled, signal),
    enabled: isAsked,
    refetchInterval: 4_000,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
  });
  const { refetch } = asked;
  // the ticket names one price: what it would do is asked for anew when the book beside it moves
  useEffect(() => {
    if (!isAsked) return undefined;
    const timer = setTimeout(() => void refetch({ cancelRefetch: false }), MOVED_MS);
    return () => clearTimeout(timer);
  }, [quote, isAsked, refetch]);
  const isOfThis = JSON.stringify(settled) === text && !asked.isPlaceholderData;
  return {
    data: asked.data,
    error: asked.error,
    /** Null while the one shown is of what was typed before. */
    ofThis: isOfThis ? (asked.data ?? null) : null,
    again: () => asked.refetch(),
  };
}

/** What one holds of an outcome by hand, null where that is nothing, and what an order can take. */
function useLimits(market: Market, side: 'yes' | 'no') {
  const { data } = useRead('GET /api/portfolio/', {});
  const held =
    data?.positions.find(
      ({ venue, position }) =>
        venue === market.venue &&
        position.marketId === market.marketId &&
        position.side === side &&
        position.agent === null,
    ) ?? null;
  const venue = data?.venues.find((each) => each.venue === market.venue);
  // of a venue that is away its positions are not known
  const isKnown = venue !== undefined && venue.state !== 'unavailable';
  const limits: AmountLimits = {
    available: venue?.cash?.available ?? null,
    held: isKnown ? (held?.position.shares ?? '0') : null,
    sellableShares: isKnown ? (held?.position.sellableShares ?? '0') : null,
  };
  return { held, limits };
}

function EstimateView({
  estimate,
  ...traded
}: { readonly estimate: Estimate | null } & Parameters<typeof estimateRows>[1]) {
  if (estimate === null) return null;
  return (
    <dl className={styles['estimate']}>
      {estimateRows(estimate, traded).map(([name, value, term]) => (
        <div key={name}>
          <dt>
            <Term of={term}>{name}</Term>
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
