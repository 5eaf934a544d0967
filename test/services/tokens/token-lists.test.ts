import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { TokenListing } from '../../../src/domain/token-listing.ts';
import { createTokenLists } from '../../../src/services/tokens/token-lists.ts';
import { aTokenListing, createFakeTokenData } from '../../support/fakes/fake-token-data.ts';
import { createKeptLog } from '../../support/quiet.ts';

const NOW_MS = 1_700_000_000_000;
const token = (n: number, parts: Partial<TokenListing> = {}) =>
  aTokenListing({
    address: `0x${String(n).padStart(40, '0')}`,
    symbol: `T${n}`,
    name: `T ${n}`,
    ...parts,
  });

function fixture(listings: readonly TokenListing[]) {
  const clock = createVirtualClock(NOW_MS);
  const data = createFakeTokenData(listings);
  return { clock, data, lists: createTokenLists({ data, clock, log: createKeptLog() }) };
}

describe('rankings of tokens', () => {
  it('ask each chain once, answer from what is kept, and keep it fresh only while a client reads them', async () => {
    const { clock, data, lists } = fixture([token(1)]);
    await lists.rank('trending', ['BASE', 'BSC']);
    await lists.rank('trending', ['BASE']);
    expect(data.calls).toEqual(['trending BASE 1 asked', 'trending BSC 1 asked']);
    await clock.advance(70_000);
    expect(data.calls.slice(2)).toEqual(['trending BASE 1 refresh', 'trending BSC 1 refresh']);
    expect((await lists.rank('trending', ['BASE'])).chains[0]?.readAtMs).toBeGreaterThan(NOW_MS);
    await clock.advance(700_000);
    const before = data.calls.length;
    await clock.advance(300_000);
    expect(data.calls.length).toBe(before);
  });

  it('answer within three seconds without a chain that hangs, and say so', async () => {
    const { clock, data, lists } = fixture([token(1)]);
    data.hanging.add('SOLANA');
    const answer = lists.rank('top_volume', ['BASE', 'SOLANA']);
    await clock.advance(2_500);
    expect((await answer).chains).toEqual([
      { chain: 'BASE', readAtMs: NOW_MS },
      { chain: 'SOLANA', readAtMs: null },
    ]);
  });

  it('go on showing what was read while a source is down, until it is too old to be news', async () => {
    const { clock, data, lists } = fixture([token(1)]);
    await lists.rank('trending', ['BASE']);
    data.down.add('BASE');
    await clock.advance(800_000);
    expect((await lists.rank('trending', ['BASE'])).tokens).toHaveLength(1);
    await clock.advance(120_000);
    await expect(lists.rank('trending', ['BASE'])).rejects.toMatchObject({
      code: 'token_data_unavailable',
    });
  });

  it('show each token once, by its deepest pool', async () => {
    const { lists } = fixture([
      token(1, { liquidityUsd: '50000', pairAddress: 'shallow' }),
      token(1, { liquidityUsd: '900000', pairAddress: 'deep' }),
    ]);
    const { tokens } = await lists.rank('top_volume', ['BASE']);
    expect(tokens.map(({ pairAddress }) => pairAddress)).toEqual(['deep']);
  });

  it('count as gainers what gained in a deep, traded and settled pool, and no dollars or wrapped coins', async () => {
    const { lists } = fixture([
      token(1, { change24hPercent: '4' }),
      token(2, { change24hPercent: '40' }),
      token(3, { change24hPercent: '-2' }),
      token(4, { change24hPercent: '900', liquidityUsd: '49000' }),
      token(5, { change24hPercent: '900', volume24hUsd: '99000' }),
      token(6, { change24hPercent: '900', pairCreatedAtMs: NOW_MS - 3_600_000 }),
      aTokenListing({
        address: '0x4200000000000000000000000000000000000006',
        change24hPercent: '9',
      }),
      aTokenListing({
        address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        change24hPercent: '9',
      }),
    ]);
    const { tokens } = await lists.rank('top_gainers', ['BASE']);
    expect(tokens.map(({ symbol }) => symbol)).toEqual(['T2', 'T1']);
  });

  it('search for gainers in deeper pages as far as the pages before are full', async () => {
    const { clock, data, lists } = fixture(
      Array.from({ length: 45 }, (_, n) => token(n + 1, { change24hPercent: String(n + 1) })),
    );
    await lists.rank('top_gainers', ['BASE']);
    for (let read = 0; read < 4; read += 1) {
      await clock.advance(10_000);
      await lists.rank('top_gainers', ['BASE']);
    }
    expect(data.calls.filter((call) => call.startsWith('volume'))).toEqual([
      'volume BASE 1 asked',
      'volume BASE 2 refresh',
      'volume BASE 3 refresh',
    ]);
    expect((await lists.rank('top_gainers', ['BASE'])).tokens[0]?.symbol).toBe('T45');
  });
});
