import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { ONBOARDING } from '../../../config/limits/funds.ts';
import {
  createDirectService,
  type DirectServiceOptions,
} from '../../../src/tools/replay/direct-service.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../src/sandbox/feeds/prices/price-process.ts';
import { aMarketBuy, aUserId, T0 } from '../../support/builders.ts';
import { createKeptLog } from '../../support/quiet.ts';
import { driveOn } from '../../scenarios/drive-on.ts';
import { startWorldModel } from '../../../src/sandbox/venues/venue-a/world-model.ts';

async function aDirectService(options: Pick<DirectServiceOptions, 'accountFunds'> = {}) {
  const clock = createVirtualClock(T0);
  const model = await startWorldModel({
    clock,
    seed: 1,
    prices: createPriceProcess(1, startingPrices(T0 / 1_000 - 36_000)),
    inferenceSkill: 0.9,
    foundedAtMs: T0,
    delays: { listingHorizonMs: 900_000, hydrationDelayMs: 5_000, resolutionDelayMs: 20_000 },
  });
  return {
    clock,
    model,
    service: await createDirectService({
      model,
      clock,
      seed: 1,
      latencyMs: 20,
      books: 'direct',
      log: createKeptLog(),
      ...options,
    }),
  };
}

describe('a user of the direct service', () => {
  it('is opened with the same key when the venue is out of reach at first', async () => {
    const [faulty, calm] = [await aDirectService(), await aDirectService()];
    faulty.model.faults.arm('bad-gateway');
    await expect(driveOn(faulty.clock, faulty.service.openUser('usr_1'))).rejects.toMatchObject({
      code: 'venue_unavailable',
    });
    faulty.model.faults.clear('bad-gateway');
    expect(await driveOn(faulty.clock, faulty.service.openUser('usr_1'))).toEqual(
      await driveOn(calm.clock, calm.service.openUser('usr_1')),
    );
    for (const { service, model } of [faulty, calm]) {
      service.cut();
      model.stop();
    }
  });

  it('is asked to come back with an order while the Safe is not ready', async () => {
    const { service, model } = await aDirectService({
      accountFunds: {
        'usdc:safe': {
          redeem: async () => undefined,
          syncDeposits: async () => 0,
          missing: () => ['allowances'],
        },
      },
    });
    await expect(service.core.orders.place(aUserId(1), aMarketBuy())).rejects.toMatchObject({
      code: 'wallet_not_ready',
      retryable: true,
      retryAfterMs: ONBOARDING.retryFirstMs,
    });
    service.cut();
    model.stop();
  });
});
