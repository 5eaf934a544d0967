import { expect, it } from 'vitest';
import type { OrderLife } from '../../src/domain/order.ts';
import { lifeOf, timeInForceOf, type TimeInForce } from '../../src/domain/time-in-force.ts';

it.each<[TimeInForce, OrderLife, expiresAtMs: number | null]>([
  ['FOK', 'all_now', null],
  ['FAK', 'part_now', null],
  ['GTC', 'rests', null],
  ['GTD', 'rests', 60_000],
])('%s is the name of an order that lives %s, until %s', (name, life, expiresAtMs) => {
  expect([timeInForceOf({ life, expiresAtMs }), lifeOf(name)]).toEqual([name, life]);
});
