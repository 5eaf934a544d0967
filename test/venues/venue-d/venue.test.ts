import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { viewedTotals } from '../../../src/domain/viewed-position.ts';
import { NETWORK } from '../../../src/adapters/wire/transport.ts';
import { venueD } from '../../../src/venues/venue-d/venue.ts';
import { ccxtPositions } from '../../peers/ccxt.ts';
import { WALLET } from '../../sandbox/venues/venue-d/a-server.ts';
import { createKeptMetrics } from '../../support/quiet.ts';
import { settingsAt, startView } from './a-view.ts';

let venue: Awaited<ReturnType<typeof startView>>;
beforeEach(async () => {
  venue = await startView();
});
afterEach(() => venue.close());

describe('the view of venue_d', () => {
  it('shows what is held, of pools and the order book, and not what was redeemed, sold or is dust', async () => {
    const { positions, unreadable, isCut } = await venue.ask();
    expect(
      positions.map(({ marketId, state, isClaimable }) => [marketId, state, isClaimable]),
    ).toEqual([
      ['56:170145', 'open', false],
      ['59144:170145', 'open', false],
      ['56:827', 'open', false],
      ['2741:5120', 'won', true],
      ['2741:5098', 'lost', false],
      ['56:4410', 'voided', true],
      ['2741:6003', 'open', false],
      ['2741:6044', 'open', false],
    ]);
    expect(positions.map(({ mechanism }) => mechanism).indexOf('order_book')).toBe(2);
    expect([unreadable, isCut]).toEqual([0, false]);
  });

  it('sees more than a published client, which leaves the order book out, and the same of each row', async () => {
    const { positions } = await venue.ask();
    const theirs = await ccxtPositions(venue.server.url, WALLET).fetchPositions();
    const ids = theirs.map(({ info }) => `${info['networkId']}:${info['marketId']}`);
    expect(positions.filter(({ marketId }) => !ids.includes(marketId))).toMatchObject([
      { marketId: '56:827', mechanism: 'order_book' },
    ]);
    for (const { info } of theirs) {
      const ours = positions.find(
        ({ marketId }) => marketId === `${info['networkId']}:${info['marketId']}`,
      );
      if (ours !== undefined)
        expect(Number(ours.valueMicros) / 1e6).toBeCloseTo(Number(info['value']), 5);
    }
    // what a share is worth, not what it cost
    expect(positions.slice(0, 3).map(({ priceMicros }) => priceMicros)).toEqual([
      570_000n,
      480_000n,
      360_000n,
    ]);
  });

  it('counts points and tokens with a price of their own in no sum', async () => {
    const { positions } = await venue.ask();
    const symbols = positions.map(({ currency }) => currency.symbol);
    expect(symbols.slice(-2)).toEqual(['PTS', 'PENGU']);
    const dollars = positions.slice(0, -2);
    expect(viewedTotals(positions)).toEqual({ ...viewedTotals(dollars), uncounted: 2 });
    expect(viewedTotals(positions).valueMicros).toBe(
      dollars.reduce((all, { valueMicros }) => all + valueMicros, 0n),
    );
  });

  it('makes users wait for their turn, so that all are answered within the rule of the venue', async () => {
    const { clock } = venue.server;
    const wallets = Array.from(
      { length: 40 },
      (_, index) => `0x${String(index).padStart(40, '0')}`,
    );
    let answered = 0;
    const asked = wallets.map(async (wallet) => {
      const found = await venue.ask(wallet);
      answered += 1;
      return found.positions.length;
    });
    await expect.poll(() => answered).toBe(8); // what may go at once
    await clock.advance(10_000);
    await expect.poll(() => answered).toBe(28);
    await clock.advance(6_000);
    expect(await Promise.all(asked)).toEqual(wallets.map(() => 8));
    expect(venue.metrics.counts.get('view_calls_total venue_d throttled')).toBe(0);
    expect(venue.metrics.counts.get('view_calls_total venue_d answered')).toBe(40);
  });

  it('asks nothing for a while after the venue asked for slower calls, and then again', async () => {
    venue.server.faults.arm('view-busy', { times: 1 });
    const slower = { code: 'rate_limited', retryable: true };
    await expect(venue.ask()).rejects.toMatchObject(slower);
    await expect(venue.ask()).rejects.toMatchObject({ ...slower, retryAfterMs: 10_000 });
    expect(venue.metrics.counts.get('view_calls_total venue_d throttled')).toBe(1);
    expect(venue.metrics.counts.get('view_calls_total venue_d answered')).toBe(0);
    await venue.server.clock.advance(10_000);
    expect((await venue.ask()).positions).toHaveLength(8);
  });

  it('says that the venue is away where it fails, and counts that', async () => {
    venue.server.faults.arm('view-down', { times: 1 });
    await expect(venue.ask()).rejects.toMatchObject({
      code: 'venue_unavailable',
      retryable: true,
    });
    expect(venue.metrics.counts.get('view_calls_total venue_d failed')).toBe(1);
  });

  it('leaves out rows whose numbers are none, and reads numbers as text', async () => {
    venue.server.faults.arm('view-bad-numbers', { times: 1 });
    const whole = await venue.ask();
    expect([whole.positions.length, whole.unreadable]).toEqual([2, 6]);
    expect(venue.metrics.counts.get('venue_dropped_total venue_d portfolio unreadable')).toBe(6);
    const { positions } = await venue.ask();
    for (const position of whole.positions) expect(positions).toContainEqual(position);
  });

  it('gives a question up when it is called off', async () => {
    venue.server.faults.arm('view-late');
    const ending = new AbortController();
    const ask = venue.ask(WALLET, ending.signal);
    await expect.poll(() => venue.server.clock.pending).toBeGreaterThan(0);
    ending.abort();
    await expect(ask).rejects.toMatchObject({ code: 'venue_unavailable' });
  });

  it('shows its key, and goes by the rate of those with one', async () => {
    await venue.close();
    venue = await startView('a-key');
    const wallets = Array.from(
      { length: 40 },
      (_, index) => `0x${String(index).padStart(40, '0')}`,
    );
    const asked = await Promise.all(wallets.map((wallet) => venue.ask(wallet)));
    expect(asked).toHaveLength(40);
  });

  it('is not opened without its address', () => {
    const parts = {
      transport: NETWORK,
      wallClock: venue.server.clock,
      metrics: createKeptMetrics(),
    };
    expect(() => venueD.open(parts, { ...settingsAt(''), endpoints: {} })).toThrow(
      'the settings of venue_d are wrong: set PREDICTD_VENUE_D_URL: an address (endpoints.viewRest)',
    );
  });
});
