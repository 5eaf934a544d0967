import { describe, expect, it } from 'vitest';
import { VENUE_D } from '../../../config/limits/venue-d.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { HttpCall, HttpOutcome } from '../../../src/adapters/wire/http-calls.ts';
import { NETWORK } from '../../../src/adapters/wire/transport.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { venueD } from '../../../src/venues/venue-d/venue.ts';
import { createKeptMetrics } from '../../support/quiet.ts';
import { settingsAt } from './a-view.ts';

const WALLET = asId<Address>('0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
const row = (marketId: number, parts: object = {}) => ({
  marketId,
  outcomeId: 0,
  networkId: 56,
  token: '0x55d398326f99059fF775485246999027B3197955',
  shares: 2,
  price: 0.5,
  value: 1.2,
  profit: 0.2,
  status: 'ongoing',
  ...parts,
});
const answered = (body: unknown, status = 200): HttpOutcome => ({
  kind: 'answered',
  status,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  retryAfterMs: null,
});

/** The view over answers given in turn; the last one again and again. */
function over(...outcomes: readonly HttpOutcome[]) {
  const sent: HttpCall[] = [];
  const transport = {
    ...NETWORK,
    calls: () => ({
      async send(call: HttpCall) {
        sent.push(call);
        return outcomes[Math.min(sent.length, outcomes.length) - 1] ?? answered('');
      },
      close: async () => undefined,
    }),
  };
  const wallClock = createVirtualClock(1_800_000_000_000);
  const view = venueD.open(
    { transport, wallClock, metrics: createKeptMetrics() },
    settingsAt('https://venue.example'),
  );
  const ask = () => view.positions(WALLET, new AbortController().signal);
  return { sent, ask, wallClock };
}
const page = (rows: readonly unknown[], hasNext: boolean) =>
  answered({ data: rows, pagination: { page: 1, limit: 100, hasNext } });

describe('the calls of venue_d', () => {
  it('ask for all trading models and say what is dust, with the address in small letters', async () => {
    const { sent, ask } = over(page([], false));
    await ask();
    expect(sent.map(({ method, path }) => [method, path])).toEqual([
      [
        'GET',
        `/users/${WALLET.toLowerCase()}/portfolio?page=1&limit=100&min_shares=0.01&trading_model=all`,
      ],
    ]);
  });

  it('go on to the last page, and a row that moved to a later one counts once', async () => {
    const { sent, ask } = over(page([row(1), row(2)], true), page([row(2), row(3)], false));
    const { positions, isCut } = await ask();
    expect(positions.map(({ marketId }) => marketId)).toEqual(['56:1', '56:2', '56:3']);
    expect([sent.length, isCut]).toEqual([2, false]);
  });

  it('tell markets of one number on two networks, and outcomes of one market, apart', async () => {
    const rows = [row(1), row(1, { networkId: 59144 }), row(1, { outcomeId: 1 })];
    expect((await over(page(rows, false)).ask()).positions).toHaveLength(3);
  });

  it('end after some pages, and say that there are more', async () => {
    const { sent, ask } = over(page([row(1)], true));
    expect(await ask()).toMatchObject({ isCut: true });
    expect(sent).toHaveLength(VENUE_D.pagesMaximum);
  });

  it('read a bare list too', async () => {
    const { sent, ask } = over(answered([row(1)]));
    expect((await ask()).positions).toHaveLength(1);
    expect(sent).toHaveLength(1);
  });

  it.each<readonly [HttpOutcome, string]>([
    [answered('<html>', 200), 'venue_protocol'],
    [answered({ data: [row(1)] }), 'venue_protocol'],
    [answered({ error: 'Invalid address' }, 400), 'venue_protocol'],
    [answered({ error: 'Not found' }, 404), 'venue_protocol'],
    [answered({ error: 'no' }, 403), 'venue_restricted'],
    [answered({ error: 'failure' }, 502), 'venue_unavailable'],
    [{ kind: 'lost', cause: 'no answer' }, 'venue_unavailable'],
    [{ kind: 'unsent', cause: 'ECONNREFUSED' }, 'venue_unavailable'],
  ])('that end with %j fail with %s', async (outcome, code) => {
    await expect(over(outcome).ask()).rejects.toMatchObject({ code });
  });

  it('rest after 429 for as long as the venue says, at most a minute', async () => {
    const busy: HttpOutcome = { kind: 'answered', status: 429, text: '', retryAfterMs: 3_600_000 };
    const { sent, ask, wallClock } = over(busy, page([], false));
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
    await wallClock.advance(VENUE_D.retryAfterMaximumMs - 1);
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 1 });
    expect(sent).toHaveLength(1);
    await wallClock.advance(1);
    await ask();
    expect(sent).toHaveLength(2);
  });

  it('are refused where too many wait already', async () => {
    const { ask } = over(page([], false));
    const most = VENUE_D.freeRate.burst + VENUE_D.waitingMaximum;
    const asked = Array.from({ length: most }, () => ask());
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
    void Promise.allSettled(asked);
  });
});
