import { describe, expect, it } from 'vitest';
import { USER_CAPS } from '../../src/services/books/tables.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const user = await api.signIn();

const put = async (body: unknown) =>
  (await api.request('PUT', '/api/user/limits', { token: user.token, body })).body;
const NONE = {
  maxOrderSize: null,
  maxTotalExposure: null,
  maxOpenPositions: null,
  maxDailyLoss: null,
};

describe("a user's own limits", () => {
  it('L5: are set, changed one by one and taken away, and stored as the caps orders are held to', async () => {
    expect((await api.request('GET', '/api/user/limits', { token: user.token })).body).toEqual({
      user: NONE,
      operator: { ...NONE, maxOrderSize: '5000', maxOpenPositions: 500 },
    });
    expect(await put({ maxDailyLoss: '50.5', maxOpenPositions: 3 })).toMatchObject({
      user: { ...NONE, maxDailyLoss: '50.5', maxOpenPositions: 3 },
    });
    expect(await put({ maxDailyLoss: null, maxOrderSize: 20 })).toMatchObject({
      user: { ...NONE, maxOrderSize: '20', maxOpenPositions: 3 },
    });
    expect(api.store.get(USER_CAPS, [user.userId])?.value).toEqual({
      orderUsdc: 20_000_000,
      openPositions: 3,
    });
    const lines = api.store
      .readJournal(0, 1_000)
      .flatMap(({ event }) =>
        event.type === 'audit.recorded' && event.action === 'limits_changed' ? [event.subject] : [],
      );
    expect(lines).toEqual([
      'dailyLossUsdc 50500000, openPositions 3',
      'orderUsdc 20000000, openPositions 3',
    ]);
  });

  it.each([
    [
      'looser than what the operator allows',
      { maxOrderSize: 5_001, maxOpenPositions: 501 },
      422,
      'setting_out_of_range',
      ['/maxOrderSize', '/maxOpenPositions'],
    ],
    ['negative', { maxDailyLoss: -1 }, 400, 'invalid_request', ['/maxDailyLoss']],
    ['nothing at all', { maxDailyLoss: 0 }, 400, 'invalid_request', ['/maxDailyLoss']],
    [
      'a part of a position',
      { maxOpenPositions: 1.5 },
      400,
      'invalid_request',
      ['/maxOpenPositions'],
    ],
    ['unknown', { maxLeverage: 2 }, 400, 'invalid_request', ['/maxLeverage']],
  ])('that are %s are refused with their path', async (_, body, status, code, paths) => {
    expect(await put(body)).toMatchObject({
      status,
      code,
      errors: paths.map((path) => ({ path })),
    });
  });
});
