import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { linkedPrices } from '../../../src/adapters/feed-link/linked-prices.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { PriceTick } from '../../../src/ports/price-feed.ts';
import { collect } from '../../support/collect.ts';
import { T0 } from '../../support/builders.ts';
import { createFakeFeedLink } from '../../support/fakes/fake-feed-link.ts';

const HOUR_MS = 3_600_000;

function follow(source: 'oracle' | 'exchange') {
  const clock = createVirtualClock(T0);
  const link = createFakeFeedLink();
  const ticks = collect<PriceTick>();
  const feed = linkedPrices({ link, name: source, source, clock });
  feed.watch(['BTC'], ticks);
  /** A price of a feed whose clock is an hour ahead. */
  const say = (ageMs: number, asset: 'BTC' | 'ETH' = 'BTC') =>
    link.say({
      op: 'tick',
      channel: 1,
      asset,
      price: 7,
      sourceAtMs: clock.nowMs() + HOUR_MS - ageMs,
      ageMs,
      twapSeconds: null,
    });
  const momentsOf = () => ticks.values.map(({ sourceAtMs }) => sourceAtMs - T0);
  return { clock, link, feed, say, momentsOf, errors: ticks.errors };
}

it('L8: a price of the exchange is as old as the feed said, though its clock is an hour ahead', async () => {
  const { clock, say, momentsOf } = follow('exchange');
  say(400);
  await clock.advance(1_000);
  say(250);
  expect(momentsOf()).toEqual([-400, 750]);
});

it('prices of the exchange keep their order, whatever their ways took', async () => {
  const { clock, say, momentsOf } = follow('exchange');
  say(0);
  await clock.advance(1);
  say(30);
  expect(momentsOf()).toEqual([0, 0]);
});

it('a price of the oracle keeps the moment its source speaks of', () => {
  const { say, momentsOf } = follow('oracle');
  say(400);
  expect(momentsOf()).toEqual([HOUR_MS - 400]);
});

it('assets that were not asked for are left out', () => {
  const { say, momentsOf } = follow('oracle');
  say(400, 'ETH');
  expect(momentsOf()).toEqual([]);
});

it('a moment is asked of the feed, and an answer that is no price is refused', async () => {
  const { link, feed } = follow('oracle');
  link.answer = { price: 9, sourceAtMs: T0 };
  expect(await feed.priceAt('BTC', T0, null)).toEqual({
    asset: 'BTC',
    price: 9,
    sourceAtMs: T0,
    twapSeconds: null,
  });
  link.answer = { price: 0, sourceAtMs: T0 };
  await expect(feed.priceAt('BTC', T0, null)).rejects.toMatchObject({ code: 'venue_protocol' });
});

it('a source that the feed does not read is absent, and one that is lost has failed', async () => {
  const unread = new AppError('not_found', 'this feed does not read the prices of oracle');
  const { link, feed, errors } = follow('oracle');
  link.ask = () => Promise.reject(unread);
  expect(await feed.priceAt('BTC', T0, null)).toBeNull();
  link.lose(unread);
  expect(errors).toEqual([]);
  const lost = new AppError('venue_unavailable', 'lost', { retryable: true });
  const other = follow('oracle');
  other.link.lose(lost);
  expect(other.errors).toEqual([lost]);
});
