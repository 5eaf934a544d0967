import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { linkedInference } from '../../../src/adapters/feed-link/linked-inference.ts';
import { T0 } from '../../support/builders.ts';
import { createFakeFeedLink } from '../../support/fakes/fake-feed-link.ts';

it('L8: a prediction that the feed kept is as old here as it was there', async () => {
  const link = createFakeFeedLink();
  const interval = [1, 2, 3, 4, 5];
  link.answer = { topicId: 14, price: 3, interval, sourceAtMs: 77, ageMs: 4_000 };
  expect(await linkedInference(link, createVirtualClock(T0)).latest('BTC', '5m')).toEqual({
    value: { topicId: 14, price: 3, interval },
    sourceAtMs: 77,
    receivedAtMs: T0 - 4_000,
  });
  expect(link.asked).toEqual([{ kind: 'inference', asset: 'BTC', horizon: '5m' }]);
});

it('an answer that is no prediction is refused', async () => {
  const link = createFakeFeedLink();
  link.answer = { price: 3 };
  await expect(
    linkedInference(link, createVirtualClock(T0)).latest('BTC', '5m'),
  ).rejects.toMatchObject({ code: 'venue_protocol' });
});
