import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../../../src/adapters/clock/virtual-clock.ts';
import { loadKeccak } from '../../../../../src/adapters/wire/keccak.ts';
import type { ExchangeMarket } from '../../../../../src/sandbox/engine/exchange-types.ts';
import {
  startRounds,
  type RoundsOptions,
} from '../../../../../src/sandbox/venues/venue-a/markets/rounds.ts';
import type { SettlementPrices } from '../../../../../src/sandbox/feeds/prices/settlement-prices.ts';
import { chainIds } from '../../../../../src/sandbox/chains/evm/outcome-ids.ts';
import { conditionTerms } from '../../../../../src/sandbox/venues/venue-a/markets/market-ids.ts';

const TERMS = conditionTerms(1);

const START_MS = 1_780_876_920_000; // two minutes into a window of every kind
const WINDOW_MS = 1_780_876_800_000;
const keccak = await loadKeccak();

describe('rounds', () => {
  it("lists the running window and those of the horizon under the venue's slugs, with stable ids", () => {
    const { listed, rounds } = startWith({});
    expect(rounds.listings().filter(({ window }) => window?.series.minutes === 5)).toHaveLength(25);
    expect(rounds.listings()).toHaveLength(25 + 3 * 9);
    expect(listed.get('btc-updown-5m-1780876800')).toMatchObject({
      labels: ['Up', 'Down'],
      tickSize: 100,
      minSize: 5_000_000,
      negRisk: false,
      takerDelayMs: 250,
      endsAtMs: WINDOW_MS + 300_000,
    });
    expect([...listed.keys()].filter((slug) => slug.endsWith('-15m-1780876800')).sort()).toEqual([
      'btc-updown-15m-1780876800',
      'eth-updown-15m-1780876800',
      'sol-updown-15m-1780876800',
    ]);
    const again = startWith({}).listed.get('btc-updown-5m-1780876800');
    expect(again?.marketId).toBe(listed.get('btc-updown-5m-1780876800')?.marketId);
    expect(again?.marketId).toMatch(/^0x[0-9a-f]{64}$/);
    expect(again?.tokens[0]).toMatch(/^\d{70,78}$/);
  });

  it('lists a new window as time goes on', async () => {
    const { clock, listed } = startWith({});
    const before = listed.size;
    await clock.advance(300_000);
    expect(listed.size).toBe(before + 1);
  });

  it('asks once for the ids of a window: what the venue does not list, it will not list later', async () => {
    const asked: string[] = [];
    const { clock, listed } = startWith({
      idsOf(slug) {
        asked.push(slug);
        return null;
      },
    });
    await clock.advance(600_000);
    expect(listed.size).toBe(0);
    expect(asked).toHaveLength(new Set(asked).size);
    expect(asked).toHaveLength(25 + 3 * 9 + 2);
  });

  it('resolves to Up on equality of all 18 decimals, and to Down one unit below', async () => {
    const level = await runOneRound(() => 65_000n * 10n ** 18n);
    expect(level).toEqual([10_000, 0]);
    const below = await runOneRound(
      (second) => 65_000n * 10n ** 18n - (second >= 1_780_877_100 ? 1n : 0n),
    );
    expect(below).toEqual([0, 10_000]);
  });

  it('resolves not before its delay has passed', async () => {
    const { clock, resolved, listed } = startWith({});
    const market = listed.get('btc-updown-5m-1780876800')?.marketId;
    await clock.advanceTo(WINDOW_MS + 300_000 + 119_000);
    expect(resolved.has(market ?? '')).toBe(false);
    await clock.advance(2_000);
    expect(resolved.has(market ?? '')).toBe(true);
  });

  it('takes the first tick after a hole, and splits the pot when the hole never ends', async () => {
    const hole = await runOneRound((second) =>
      second >= 1_780_877_100 && second < 1_780_877_110 ? null : BigInt(second) * 10n ** 18n,
    );
    expect(hole).toEqual([10_000, 0]);
    const silence = await runOneRound((second) => (second >= 1_780_877_100 ? null : 1n));
    expect(silence).toEqual([5_000, 5_000]);
  });

  it('settles on the 60-second average where that is the rule', async () => {
    const spike = (second: number) => (second >= 1_780_877_095 ? 200n : 100n) * 10n ** 18n;
    const { clock, rounds } = startWith({ rule: 'twap_60', price: spike });
    await clock.advanceTo(WINDOW_MS + 301_000);
    const window = rounds.listings()[0]?.window;
    expect(window === null || window === undefined ? null : rounds.finalE18(window)).toBe(
      ((57n * 100n + 3n * 200n) * 10n ** 18n) / 60n,
    );
  });

  it('L9: resolves what ended while it was stopped, and lists nothing twice', async () => {
    const first = startWith({});
    first.rounds.stop();
    const later = startWith({ listed: first.listed, startMs: START_MS + 1_800_000 });
    expect(later.resolved.size).toBeGreaterThanOrEqual(5);
    expect(
      later.rounds.listings().filter(({ market }) => market.slug === 'btc-updown-5m-1780876800'),
    ).toHaveLength(1);
  });
});

interface Given {
  readonly price?: (second: number) => bigint | null;
  readonly rule?: RoundsOptions['rule'];
  readonly listed?: Map<string, ExchangeMarket>;
  readonly startMs?: number;
  readonly idsOf?: RoundsOptions['idsOf'];
}

function startWith({
  price = (second) => BigInt(second),
  rule = 'spot',
  listed = new Map(),
  startMs = START_MS,
  idsOf = (slug) => chainIds(keccak, TERMS, slug),
}: Given) {
  const clock = createVirtualClock(startMs);
  const resolved = new Map<string, readonly [number, number]>();
  const prices: SettlementPrices = { at: (_asset, second) => price(second), valueAt: () => null };
  const exchange: RoundsOptions['exchange'] = {
    listMarket(market) {
      expect(listed.has(market.slug)).toBe(false);
      listed.set(market.slug, market);
    },
    markets: () => [...listed.values()],
    payout: (id) => resolved.get(id) ?? null,
    resolve: (id, payoutTicks) => void resolved.set(id, payoutTicks),
  };
  const rounds = startRounds({
    clock,
    exchange,
    prices,
    idsOf,
    rule,
    listingHorizonMs: 7_200_000,
    hydrationDelayMs: 60_000,
    resolutionDelayMs: 120_000,
  });
  return { clock, listed, resolved, rounds };
}

async function runOneRound(
  price: (second: number) => bigint | null,
): Promise<readonly [number, number] | undefined> {
  const { clock, listed, resolved } = startWith({ price });
  const market = listed.get('btc-updown-5m-1780876800');
  await clock.advanceTo(WINDOW_MS + 300_000 + 420_000);
  return resolved.get(market?.marketId ?? '');
}
