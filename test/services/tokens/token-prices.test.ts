import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { WRAPPED_COINS } from '../../../src/domain/known-tokens.ts';
import { createTokenPrices } from '../../../src/services/tokens/token-prices.ts';
import { aTokenListing, createFakeTokenData } from '../../support/fakes/fake-token-data.ts';
import { createKeptLog } from '../../support/quiet.ts';

const NOW_MS = 1_700_000_000_000;
const { address: BRETT } = aTokenListing();
const USDC_ON_BSC = '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d';

function fixture() {
  const clock = createVirtualClock(NOW_MS);
  const data = createFakeTokenData([
    aTokenListing(),
    aTokenListing({ chain: 'BSC', address: WRAPPED_COINS.BSC, priceUsd: '612.4' }),
    aTokenListing({ chain: 'POLYGON', address: WRAPPED_COINS.POLYGON, priceUsd: '0.47' }),
  ]);
  const prices = createTokenPrices({
    data,
    assetPrice: (asset) =>
      asset === 'ETH' ? { priceE18: 2_000n * 10n ** 18n, atMs: NOW_MS } : null,
    clock,
    log: createKeptLog(),
  });
  return { clock, data, prices };
}

describe('prices of tokens', () => {
  it('are at par for dollars, the exchange’s for its coins, and token data’s for the rest', async () => {
    const { data, prices } = fixture();
    await prices.warm(
      [
        { chain: 'BASE', address: null },
        { chain: 'BASE', address: BRETT },
        { chain: 'BSC', address: null },
        { chain: 'POLYGON', address: null },
        { chain: 'BSC', address: USDC_ON_BSC },
      ],
      800,
    );
    expect([
      prices.newest('BASE', null)?.priceE18,
      prices.newest('BASE', BRETT.toLowerCase())?.priceE18,
      prices.newest('BSC', null)?.priceE18,
      prices.newest('POLYGON', null)?.priceE18,
      prices.newest('BSC', USDC_ON_BSC),
      prices.newest('SOLANA', null),
    ]).toEqual([
      2_000n * 10n ** 18n,
      43_100_000_000_000_000n,
      6_124n * 10n ** 17n,
      470_000_000_000_000_000n,
      { priceE18: 10n ** 18n, atMs: null },
      null,
    ]);
    expect(data.calls).toHaveLength(3);
  });

  it('are asked for once a minute, shown while they are asked for again, and absent when too old', async () => {
    const { clock, data, prices } = fixture();
    const warm = () => prices.warm([{ chain: 'BASE', address: BRETT }], 800);
    await warm();
    await warm();
    expect(data.calls).toHaveLength(1);
    data.down.add('BASE');
    await clock.advance(61_000);
    await warm();
    expect(data.calls).toHaveLength(2);
    expect(prices.newest('BASE', BRETT)?.atMs).toBe(NOW_MS);
    await clock.advance(300_000);
    expect(prices.newest('BASE', BRETT)).toBeNull();
  });

  it('L8: that are too old are late, and shown as they were last, but are not the newest', async () => {
    const { clock, data, prices } = fixture();
    await prices.warm([{ chain: 'BASE', address: BRETT }], 800);
    expect(prices.isLate('BASE', BRETT)).toBe(false);
    data.down.add('BASE');
    await clock.advance(400_000);
    await prices.warm([{ chain: 'BASE', address: BRETT }], 800);
    expect([
      prices.isLate('BASE', BRETT),
      prices.newest('BASE', BRETT),
      prices.last('BASE', BRETT)?.atMs,
    ]).toEqual([true, null, NOW_MS]);
  });

  it('of the exchange are late while it is silent, and of tokens its source has none of they are none', async () => {
    const { prices } = fixture();
    const unknown = '0xBad0000000000000000000000000000000000001';
    expect([prices.isLate('SOLANA', null), prices.isLate('BASE', unknown)]).toEqual([true, true]);
    await prices.warm([{ chain: 'BASE', address: unknown }], 800);
    expect([prices.isLate('BASE', unknown), prices.isLate('BSC', USDC_ON_BSC)]).toEqual([
      false,
      false,
    ]);
  });

  it('that are unknown are absent, never zero', async () => {
    const { prices } = fixture();
    const unknown = '0xBad0000000000000000000000000000000000001';
    await prices.warm([{ chain: 'BASE', address: unknown }], 800);
    expect(prices.newest('BASE', unknown)).toBeNull();
  });
});
