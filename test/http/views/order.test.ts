import { expect, it } from 'vitest';
import { NO_COIN_PRICE } from '../../../src/http/views/gas-paid.ts';
import { viewListedOrder, viewOrder } from '../../../src/http/views/order.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { aMarket } from '../../support/builders.ts';
import { anAttempt } from '../../support/attempts.ts';
import { anOrder } from '../../support/worlds/money-records.ts';

it('an order of a list names what its market asks and which outcome it is of', () => {
  const market = aMarket();
  const order = anOrder({ intent: { outcome: 1 } });
  expect(viewListedOrder(order, market, NO_COIN_PRICE)).toMatchObject({
    id: order.intent.intentId,
    question: market.question,
    outcome: market.outcomes[1].label,
    marketEndsAtMs: market.endsAtMs,
  });
  expect(viewListedOrder(order, null, NO_COIN_PRICE)).toMatchObject({
    question: null,
    outcome: null,
  });
});

it('an order whose fee was kept in shares states them, and what they were worth at its price', () => {
  const amounts = { filledShares: shareMicros(4_000_000), filledUsdc: usdcMicros(2_000_000) };
  const kept = { feesUsdc: usdcMicros(0), feeShares: shareMicros(100_000) };
  const paid = { feesUsdc: usdcMicros(30_000) };
  const fees = ({ feesUsdc, feeShares }: ReturnType<typeof viewOrder>) => [feesUsdc, feeShares];
  expect(fees(viewOrder(anOrder({ ...amounts, ...kept })))).toEqual(['0.05', '0.1']);
  expect(fees(viewOrder(anOrder({ ...amounts, ...paid })))).toEqual(['0.03', '0']);
});

it('an order in dollars whose trade was taken back has all of them left over, and nothing filled', () => {
  const order = anOrder({
    intent: {
      spendMicros: 29_444_150,
      receiveMicros: 53_000_000,
      requested: { unit: 'usdc', micros: 30_000_000 },
    },
    state: 'filled',
    filledShares: shareMicros(53_000_000),
    filledUsdc: usdcMicros(28_800_000),
    feesUsdc: usdcMicros(644_150),
  });
  expect(viewOrder(order)).toMatchObject({ filledShares: '53', leftoverUsdc: '0.55585' });
  const reversed = {
    reversedShares: shareMicros(53_000_000),
    reversedUsdc: usdcMicros(28_800_000),
    reversedFeesUsdc: usdcMicros(644_150),
  };
  expect(viewOrder({ ...order, ...reversed })).toMatchObject({
    leftoverUsdc: '30',
    requestedShares: '53',
    filledShares: '0',
    filledUsdc: '0',
    averagePrice: null,
    feesUsdc: '0',
    reversedShares: '53',
    settlementState: 'reversed',
  });
});

it('an order whose transactions failed states what the network took for them, and its worth', () => {
  const attempt = (units: string) =>
    anAttempt(`0x${units}`, {
      ended: { how: 'never', proof: 'it failed', gas: { chain: 'BASE', units }, atMs: 1 },
    });
  const order = anOrder({
    state: 'rejected',
    attempts: [attempt('200000000000000'), attempt('50000000000000')],
  });
  const price = () => 4_000n * 10n ** 18n;
  const paid = { symbol: 'ETH', amount: '0.00025' };
  expect([viewOrder(order, price).gas, viewOrder(order).gas]).toEqual([
    { ...paid, amountUsd: '1' },
    { ...paid, amountUsd: null },
  ]);
  expect(viewOrder(anOrder()).gas).toBeNull();
});
