import { asId, type VenueId } from '../../domain/ids.ts';
import {
  confirmationRow,
  confirmationShape,
  estimateRow,
  estimateShape,
  madeOrderRow,
  orderRow,
  orderShape,
  positionRow,
  tradeRow,
} from '../rows/orders.ts';
import { ENDS, MOVES_MONEY, READS, type Tool } from '../tool.ts';

const VENUE_B = asId<VenueId>('venue_b');

const reads = { scope: 'read', annotations: READS, budget: 'calls' } as const;
const trades = {
  scope: 'trade',
  annotations: MOVES_MONEY,
  budget: 'money',
  answer: { row: madeOrderRow, shape: orderShape },
  follow: { operationId: 'getOrder', id: 'id' },
} as const;
const LIST_SAYS = { cursor: 'nextCursor of the page before.', state: '', marketId: '' };

/** What trades, and what shows its state. */
export const TRADING_TOOLS: readonly Tool[] = [
  {
    ...trades,
    name: 'orders_create',
    title: 'Place an order',
    description:
      'Place one order with money of the user; preview it first. A market order answers with its end, which may be partly filled, cancelled or rejected.',
    operationId: 'placeOrder',
    venue: VENUE_B,
    says: {
      marketId: '',
      amount: 'Dollars or shares, as orderMode says.',
      price: 'Limit: dollars, 0.47; at venue_b whole cents, 47.',
      orderMode: '',
      action: '',
      timeInForce:
        'Market: FOK all or nothing, FAK what there is. Limit: GTD until expiresAtMs (default), GTC until cancelled.',
    },
    preview: { operationId: 'estimateOrder', row: estimateRow, shape: estimateShape },
    propose: { operationId: 'proposeOrder', row: confirmationRow, shape: confirmationShape },
  },
  {
    ...reads,
    name: 'orders_list',
    title: 'Orders',
    description: "The user's orders at a venue, newest first.",
    operationId: 'listOrders',
    venue: VENUE_B,
    says: LIST_SAYS,
    answer: { row: orderRow },
  },
  {
    ...reads,
    name: 'order_get',
    title: 'One order',
    description: 'State and cost of one order.',
    operationId: 'getOrder',
    venue: VENUE_B,
    renamed: { id: 'orderId' },
    says: { orderId: '' },
    answer: { row: orderRow },
  },
  {
    name: 'order_cancel',
    title: 'Cancel an order',
    description: 'Cancel an open order. A fill that was faster stays.',
    operationId: 'cancelOrder',
    venue: VENUE_B,
    scope: 'trade',
    annotations: ENDS,
    budget: 'stops',
    renamed: { id: 'orderId' },
    says: { orderId: '' },
    answer: { row: orderRow, hasAll: false },
  },
  {
    ...reads,
    name: 'positions_list',
    title: 'Positions',
    description:
      "The user's open positions at a venue with cost, worth and profit in USDC. Of all venues: account_summary.",
    operationId: 'listPositions',
    venue: VENUE_B,
    says: { ...LIST_SAYS, positionType: 'Of venue_a.' },
    unlisted: ['isReedemable'],
    answer: { row: positionRow },
  },
  {
    ...reads,
    name: 'trades_list',
    title: 'Trades',
    description:
      "The user's trades at every venue, newest first, in USDC; or closed positions with the profit of each.",
    operationId: 'listPortfolioTrades',
    says: { ...LIST_SAYS, kind: '' },
    unlisted: ['marketId'],
    answer: { row: tradeRow },
  },
  {
    ...trades,
    name: 'position_close',
    title: 'Close a position',
    description:
      'Sell what the user holds of a market at the best bid; preview it first. What a market that has ended pays comes by itself.',
    operationId: 'closePosition',
    venue: VENUE_B,
    says: {
      marketId: '',
      side: 'Needed where both are held.',
      amount: 'Shares; left out: all.',
    },
    preview: { operationId: 'estimateClose', row: estimateRow, shape: estimateShape },
    propose: { operationId: 'proposeClose', row: confirmationRow, shape: confirmationShape },
  },
];
