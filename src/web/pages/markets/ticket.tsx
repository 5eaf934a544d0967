import { amountFault } from '../../format/amount.ts';
import { memo, useEffect, useRef, useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { forgetRequest, pendingRequest, sendOnce } from '../../api/money-request.ts';
import { useOrders } from '../../api/orders.ts';
import { readAgain } from '../../api/query.ts';
import type { Estimate, Market, Order, OrderBody, OrderCalls } from '../../api/venues.ts';
import { useMarketClock } from '../../app/clock.ts';
import { Refusal } from '../../app/refusal.tsx';
import { cents, sellable as sellableShares, usd } from '../../format/money.ts';
import { words } from '../../format/text.ts';
import { daemonNowMs } from '../../live/market-clock.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Segment } from '../../ui/form.tsx';
import { leftoverNote } from '../portfolio/position-note.ts';
import { Term } from '../../ui/term.tsx';
import { BuyAmounts, QUICK_USD } from './amount-buttons.tsx';
import type { BookStanding } from './book-ladder.tsx';
import { lastOrder } from './last-order.ts';
import { orderBlock } from './order-block.ts';
import { orderOf } from './order-body.ts';
import { estimateRows } from './estimate-rows.ts';
import type { Quotes } from './outcome-quotes.ts';
import { PlacedOrder } from './placed-order.tsx';
import { isWithVenue } from './placed-sentence.ts';
import { useEstimate } from './use-estimate.ts';
import { useFollowedOrder } from './use-followed-order.ts';
import { useLostAnswer } from './use-lost-answer.ts';
import { useLimits } from './use-limits.ts';
import { priceFault } from './price-fault.ts';
import styles from './markets.module.css';

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
  const attempt = useAttempt();
  const { isBusy, problem: refused, make } = attempt;
  /** What was sent last: a refusal is of that, and of nothing typed since. */
  const [sent, setSent] = useState('');
  /**
   * The order shown: one sent with this ticket; `before`: the last one from before it was opened,
   * until it is used.
   */
  const [subject, setSubject] = useState<Order | 'before' | null>('before');
  const isUnused = subject === 'before';
  const placed = isUnused ? null : subject;
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
  const earlier = useOrderBefore(market, { form, isUnused });
  useLostAnswer(market, form, { attempt, onFound: setSubject });
  const followed = useFollowedOrder(placed ?? earlier, calls);
  const body: OrderBody = {
    marketId: market.marketId,
    side,
    action,
    amount: amount.trim().replace(/\.$/, ''),
    orderType,
    orderMode: action === 'buy' ? 'dollars' : 'shares',
    ...(orderType === 'limit' ? { price: calls.price(price.trim().replace(/\.$/, '')) } : {}),
  };
  const problem = sent === JSON.stringify(body) ? refused : null;
  const faultOfPrice = orderType === 'limit' ? priceFault(price, market.tickSize) : null;
  const isComplete = orderType === 'market' || (price.trim() !== '' && faultOfPrice === null);
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
  const block = orderBlock({
    action,
    orderType,
    amount: amount.trim(),
    price: price.trim(),
    typedFault: typedFault ?? faultOfPrice,
    limits,
    venue: words(market.venue),
    isUnanswered,
    isWithVenue: followed !== null && isWithVenue(followed),
    standing,
    estimate: estimate.ofThis,
    estimateFault: estimate.fault,
  });
  const shown =
    estimate.ofThis ?? (estimate.before?.orderType === orderType ? estimate.before : null);
  const labelOf = (of: 'yes' | 'no') =>
    market.outcomes.find((outcome) => outcome.side === of)?.label ?? of;
  const label = labelOf(side);
  const send = async (): Promise<void> => {
    setSubject(null);
    setSent(JSON.stringify(body));
    await make(async () => {
      setSubject(await sendOnce(form, order, (key) => calls.place(order, key)));
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
            // one without a decision keeps the next one out, and says so
            if (followed !== null && isWithVenue(followed)) return;
            setSubject(null);
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
          fault={amountFault(amount)}
          refused={problem?.faultOf('amount')}
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
            fault={faultOfPrice}
            refused={problem?.faultOf('price')}
            hint={
              isPool
                ? 'It waits here, and goes to the pool once all of it is to be had at this price, until you cancel it or a day has passed.'
                : 'It rests until it fills, you cancel it, or a day has passed.'
            }
            onChange={(event) => setPrice(event.target.value)}
          />
        ) : null}
        {shown === null || isEmpty || typedFault !== null ? null : (
          // of what was typed before it keeps the room alone, so that the button stays in its place
          <div style={estimate.ofThis === null ? { visibility: 'hidden' } : undefined}>
            <EstimateView
              estimate={shown}
              action={action}
              label={label}
              venue={words(market.venue)}
              poolTick={isPool ? market.tickSize : null}
            />
          </div>
        )}
        <Button
          variant={side === 'yes' ? 'up' : 'down'}
          type="submit"
          isWide
          isBusy={isBusy}
          // an order on its way keeps any other out, itself as well: no reason to name
          blocked={isBusy ? null : block}
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
            {followed === null ? null : (
              <PlacedOrder
                key={followed.id}
                order={followed}
                calls={calls}
                isPool={isPool}
                earlier={placed === null ? `${followed.action} ${labelOf(followed.side)}` : null}
                // what was done is not done again by the next press; what was typed since stays
                onTaken={() => {
                  const isAsSent = sent === JSON.stringify(body);
                  const isUntouched = sent === '' && amount === QUICK_USD[0];
                  if (isAsSent || isUntouched) setAmount('');
                }}
              />
            )}
          </div>
        </div>
      </form>
    </Card>
  );
});

/**
 * The person's own last order in the market from before the ticket was opened, as when the page was
 * loaded again in the middle of it; null where none is recent, and once the ticket was used.
 */
function useOrderBefore(
  market: Market,
  { form, isUnused }: { readonly form: string; readonly isUnused: boolean },
): Order | null {
  const [openedAtMs] = useState(() => Date.now());
  const [pendingKey] = useState(() => pendingRequest(form)?.key ?? null);
  const clock = useMarketClock();
  const orders = useOrders(market);
  const before = isUnused
    ? lastOrder(orders.data ?? [], {
        venue: market.venue,
        openedAtMs: daemonNowMs(clock, openedAtMs),
        pendingKey,
      })
    : null;
  // a request of this very ticket keeps its key until its own answer has come
  const answered = pendingKey !== null && before?.clientOrderId === pendingKey ? pendingKey : null;
  useEffect(() => {
    if (answered !== null) forgetRequest(form, answered);
  }, [form, answered]);
  return before;
}

function EstimateView({
  estimate,
  ...traded
}: { readonly estimate: Estimate } & Parameters<typeof estimateRows>[1]) {
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
