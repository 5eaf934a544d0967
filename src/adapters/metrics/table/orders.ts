import type { OrderState } from '../../../domain/order.ts';
import { AGENT_ORDER_ERRORS, ORDER_ERRORS } from '../../../domain/order-refusals.ts';
import type { CancelOutcome, SubmitOutcome } from '../../../ports/order-gateway.ts';
import {
  counter,
  counterOf,
  gauge,
  histogram,
  membersOf,
  startingAt,
  venueCounter,
  type MetricSpec,
} from '../metric-spec.ts';

const STATES = membersOf<OrderState>({
  intended: true,
  signed: true,
  submitting: true,
  live: true,
  delayed: true,
  matched: true,
  unknown: true,
  filled: true,
  cancelled: true,
  expired: true,
  rejected: true,
});
const SUBMISSIONS = membersOf<SubmitOutcome['kind'] | 'withheld'>({
  accepted: true,
  rejected: true,
  sent: true,
  reissue: true,
  restricted: true,
  underfunded: true,
  unfilled: true,
  duplicate: true,
  deferred: true,
  unknown: true,
  withheld: true,
});
const CANCELS = membersOf<CancelOutcome['kind']>({
  cancelled: true,
  unclear: true,
  refused: true,
  unknown: true,
});

/** What `Orders.place` refuses by, and a venue's own refusal of an order that was sent. */
const REJECTIONS = ['refused_by_venue', ...ORDER_ERRORS, ...AGENT_ORDER_ERRORS];

/** Orders from request to settlement, and what holds them back. */
export const ORDER_METRICS = {
  orders_total: venueCounter(
    { state: STATES },
    'Changes of state of orders, by the state an order came to; an order counts once in each state it passes.',
  ),
  orders_open: gauge('Orders that have not ended, by the state they stand in.', ['venue', 'state']),
  orders_unknown_oldest_seconds: gauge(
    'How long the oldest order has been unknown of those whose answer was lost and not yet found; 0 without one.',
    ['venue'],
  ),
  order_unknown_seconds: histogram(
    'How long an order was unknown until the venue was heard about it, by the state it then came to.',
    ['venue', 'outcome'],
  ),
  order_submissions_total: venueCounter(
    { outcome: SUBMISSIONS },
    'Attempts to send an order to the venue, by how it answered.',
  ),
  order_resends_total: venueCounter(
    {},
    'Times the same signed bytes of an order were sent once more.',
  ),
  order_rejections_total: venueCounter(
    { reason: REJECTIONS },
    'Orders that were refused, by the error code their caller got, or by the venue.',
  ),
  cap_refusals_total: counterOf(
    { cap: ['order', 'exposure', 'daily_loss', 'open_positions', 'key'] },
    'Orders that a cap refused, by the cap; key for the limits of an API key.',
  ),
  order_cancels_total: venueCounter(
    { outcome: CANCELS },
    'Requests to the venue to cancel an order, by how it answered.',
  ),
  order_ends_unasked_total: counter(
    'Resting orders that the venue cancelled before their time and without a request.',
    [],
  ),
  order_stage_seconds: histogram(
    "Time an order spends in each stage: decide (from the moment an agent judges until its order is asked for), queue (for its user's other orders), sign, durable (until it is stored), wire (until its bytes have left), ack (until the venue answers), fill (from there until it is filled, of those that do not rest), total (from request to the venue's answer).",
    ['venue', 'stage'],
  ),
  foreign_orders_total: venueCounter(
    {},
    "Orders and fills on the venue's user channel that no known order explains.",
  ),
  fills_total: startingAt(
    [
      ...['recorded', 'upgraded', 'settled', 'reversed', 'unchanged'].map((result) => ({ result })),
      { venue: 'none', result: 'foreign' },
    ],
    counter(
      'Fills the venue reported, by what they changed here; of no known order where venue reads none.',
      ['venue', 'result'],
    ),
  ),
  settlement_breakers_open: gauge(
    'Breakers that hold entries of agents back because trades fail to settle: of single users, and of all.',
    ['scope'],
  ),
  stream_trouble_users: gauge(
    'Users for whom it is not known what becomes of their orders, by what is missing.',
    ['reason'],
  ),
  resting_orders_open: gauge('Resting orders that this service keeps for their venue.', []),
  stop_sweeps_open: gauge('Stops whose open buys are being cancelled.', []),
  trading_stops_open: gauge('Stops of trading that hold: of single users, and of all.', ['scope']),
} as const satisfies Readonly<Record<string, MetricSpec>>;
