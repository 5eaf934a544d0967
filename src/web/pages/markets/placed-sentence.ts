import type { Order } from '../../api/venues.ts';
import { cents, gasPaid, shares, sumOf, usd } from '../../format/money.ts';
import { isPartFilled } from '../../format/order-state.ts';

/** Returns the state of an order in a word or two. */
export function placedTitle(order: Pick<Order, 'state' | 'filledShares'>, isPool = false): string {
  if (isPartFilled(order)) return 'Filled in part.';
  const { state } = order;
  return (isPool ? POOL_TITLES[state] : undefined) ?? TITLES[state];
}

/** Says how much of an order was filled, what became of that, and of the rest. */
export function placedSentence(order: Order, isPool = false): string {
  if (order.state === 'unknown')
    return 'Its answer was lost. It resolves by itself; do not send it again.';
  return [
    filledSentence(order),
    restingSentence(order),
    order.state === 'delayed' && !isPool ? HELD : '',
    leftoverSentence(order),
    gasSentence(order),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function filledSentence(order: Order): string {
  if (Number(order.filledShares) === 0)
    return order.settlementState === 'reversed' ? takenBack(order) : (order.reason ?? '');
  const kept = Number(order.feeShares) === 0 ? '' : ` less a fee of ${shares(order.feeShares)}`;
  const all = isPartFilled(order) ? ` of ${shares(order.requestedShares)}` : '';
  const filled = `${shares(order.filledShares)}${all} shares${kept} at ${cents(order.averagePrice)} for ${moneyOf(order)}`;
  switch (order.settlementState) {
    case null:
      return `${filled}.`;
    case 'settled':
      return `${filled}, settled.`;
    case 'provisional':
      return `${filled}, settling on chain.`;
    default:
      return `${filled}. ${takenBack(order)}`;
  }
}

function takenBack({ action, reversedShares }: Order): string {
  const given = action === 'buy' ? 'what was paid for them is' : 'they are';
  return `A trade of ${shares(reversedShares)} shares failed: ${given} back.`;
}

/** What came off the cash or into it, with the fee: as the balance changes by it. */
function moneyOf({ action, filledUsdc, feesUsdc, feeShares }: Order): string {
  if (Number(feesUsdc) === 0 || Number(feeShares) > 0) return usd(filledUsdc);
  return action === 'buy'
    ? `${usd(sumOf([filledUsdc, feesUsdc]))}, fee of ${usd(feesUsdc)} included`
    : `${usd(sumOf([filledUsdc, `-${feesUsdc}`]))} after a fee of ${usd(feesUsdc)}`;
}

function restingSentence(order: Order): string {
  if (isPartFilled(order)) return endOfRest(order);
  const { state, price, requestedShares, filledShares, reversedShares } = order;
  if (state !== 'live') return '';
  const resting = sumOf([requestedShares, `-${filledShares}`, `-${reversedShares}`]);
  return Number(resting) === 0 ? '' : `${shares(resting)} shares rest at ${cents(price)}.`;
}

/** What became of what did not fill of an order that is over. */
function endOfRest({ cancelRequested, reason }: Order): string {
  return cancelRequested || reason === null ? 'The rest was cancelled.' : reason;
}

function leftoverSentence({ filledShares, leftoverShares }: Order): string {
  return Number(filledShares) === 0 || Number(leftoverShares) === 0
    ? ''
    : `${shares(leftoverShares)} shares stay: an order takes hundredths of a share, and the rest pays when the market ends.`;
}

/**
 * What the network took for transactions of the order that came to nothing, and for all of one
 * whose fills do not state it.
 */
function gasSentence({ state, gas }: Order): string {
  if (gas === null) return '';
  return state === 'rejected'
    ? `The network kept ${gasPaid(gas)} as gas for the failed transaction.`
    : `The network took ${gasPaid(gas)} beside what the fills state.`;
}

/** A venue holds an order before it matches it, which no cancel ends. */
const HELD = 'The venue decides within seconds; it cannot be cancelled before.';

const TITLES: Readonly<Record<Order['state'], string>> = {
  intended: 'Being prepared.',
  signed: 'Signed.',
  submitting: 'On its way.',
  live: 'In the book.',
  delayed: 'The venue holds it for a moment.',
  matched: 'Matched.',
  unknown: 'Being looked up.',
  filled: 'Filled.',
  cancelled: 'Cancelled.',
  expired: 'Expired.',
  rejected: 'The venue refused it.',
};

/** Of an order with a pool: its transaction is under way, and there is no book that it is in. */
const POOL_TITLES: Readonly<Partial<Record<Order['state'], string>>> = {
  live: 'Waiting for its price.',
  delayed: 'On its way to the chain.',
  rejected: 'It did not trade.',
};

const ENDED: readonly Order['state'][] = ['filled', 'cancelled', 'expired', 'rejected'];

/** Reports whether an order of this state changes no more, but for its settlement. */
function isEnded(state: Order['state']): boolean {
  return ENDED.includes(state);
}

/**
 * Reports whether an order rests or has filled in part: pressed again, it would be a second. One
 * that is on its way may come to nothing, and is then pressed again.
 */
export function isTaken({ state, filledShares }: Pick<Order, 'state' | 'filledShares'>): boolean {
  return Number(filledShares) > 0 || state === 'live';
}

/** Reports whether an order changes no more: ended, and its trades final. */
export function isOver({ state, settlementState }: Order): boolean {
  return isEnded(state) && settlementState !== 'provisional';
}

const UNDECIDED: readonly Order['state'][] = ['intended', 'signed', 'submitting', 'unknown'];

/**
 * Reports whether the venue has not decided an order, so that the daemon takes no other one in its
 * market: its answer is missing, or it is to trade at once and has not been seen to end.
 */
export function isWithVenue({ state, orderType }: Pick<Order, 'state' | 'orderType'>): boolean {
  return (
    UNDECIDED.includes(state) ||
    (orderType === 'market' && (state === 'live' || state === 'delayed'))
  );
}
