import { describe, expect, it } from 'vitest';
import { POLYGON_CHAIN, POLYGON_EXCHANGE } from '../../../config/profiles/profile.ts';
import { POLYGON_MONEY } from '../../../config/profiles/venue-a-contracts.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createWalletAddresses } from '../../../src/adapters/safe-relayer/derive.ts';
import type { HttpCall } from '../../../src/adapters/wire/http-calls.ts';
import { chainClients } from '../../../src/app/chains.ts';
import { lateTransactions } from '../../../src/app/late-transactions.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { VENUES } from '../../../src/venues/table.ts';
import { aMarket } from '../../support/builders.ts';
import { vaultWith } from '../../support/known-keys.ts';
import { createPromMetrics } from '../../../src/adapters/metrics/prom-metrics.ts';

const USER = asId<UserId>('usr_ada');
const ENDPOINTS = {
  clobRest: 'model:clob',
  clobMarketSocket: 'model:market',
  clobUserSocket: 'model:user',
  gamma: 'model:gamma',
  dataApi: 'model:data',
  site: 'model:site',
  rtds: 'model:prices',
  faucet: 'model:faucet',
};
const SETTINGS = {
  ...POLYGON_EXCHANGE,
  endpoints: ENDPOINTS,
  signatureType: null,
  settlesOnChain: true,
  redeemers: {
    standard: POLYGON_MONEY.collateralAdapter,
    negRisk: POLYGON_MONEY.negRiskCollateralAdapter,
  },
};

async function open(settings: object) {
  const [row] = VENUES;
  if (row === undefined) throw new Error('no venue');
  const keccak = await loadKeccak();
  const vault = await vaultWith(keccak, USER, `0x${'11'.repeat(32)}`);
  const wallets = createWalletAddresses(keccak, POLYGON_CHAIN.wallets);
  const calls: [string, HttpCall['body']][] = [];
  const metrics = createPromMetrics();
  const venue = await row.open(
    {
      store: createMemoryStore(),
      vault,
      keccak,
      wallets,
      random: createSeededRandom('row'),
      clock: createVirtualClock(0),
      wallClock: createVirtualClock(0),
      metrics,
      chain: chainClients({}),
      transactions: lateTransactions(),
      transport: {
        calls: ({ baseUrl }) => ({
          async send({ path, body }) {
            calls.push([`${baseUrl}${path}`, body]);
            return { kind: 'answered', status: 200, text: '{}', retryAfterMs: null };
          },
          close: async () => undefined,
        }),
        openSocket: () => expect.unreachable(),
      },
    },
    settings,
  );
  return {
    venue,
    metrics,
    calls,
    safe: wallets.safeOf(vault.addressOf(USER)),
    key: vault.addressOf(USER),
  };
}

describe("venue_a's row", () => {
  it('begins the counts of what it refuses and of what cannot be read, so that the first is seen', async () => {
    const { metrics } = await open(SETTINGS);
    expect(await metrics.renderMetrics()).toMatch(
      /^predictd_venue_refusals_total\{venue="venue_a",reason="post_only"\} 0$/m,
    );
  });

  it("grants test money to the Safe, where its orders' funds lie, and is paid out from there", async () => {
    const { venue, calls, safe } = await open(SETTINGS);
    await venue.faucet?.grant(USER, usdcMicros(5_000_000));
    expect([venue.id, venue.cashAccount, venue.redemption, calls]).toEqual([
      'venue_a',
      'usdc:safe',
      'transaction',
      [
        [
          'model:faucet/faucet',
          JSON.stringify({ address: safe, usdc: '5', name: `first grant of ${safe}` }),
        ],
      ],
    ]);
  });

  it.each([
    ["orders move the key's own funds", { signatureType: 0 }],
    ['it keeps its books by itself', { settlesOnChain: false }],
  ])('pays winners by itself where %s', async (_where, change) => {
    expect((await open({ ...SETTINGS, ...change })).venue.redemption).toBeNull();
  });

  it('names the adapter that redeems a market in a Safe', async () => {
    const { safeRedeemer } = (await open(SETTINGS)).venue;
    expect(
      [false, true].map((negRisk) => safeRedeemer?.(aMarket(1, { own: { negRisk } }))),
    ).toEqual([POLYGON_MONEY.collateralAdapter, POLYGON_MONEY.negRiskCollateralAdapter]);
  });

  it('has no faucet where money is real', async () => {
    expect(
      (await open({ ...SETTINGS, endpoints: { ...ENDPOINTS, faucet: null } })).venue.faucet,
    ).toBeNull();
  });

  it('is not opened with settings it cannot use, and names them', async () => {
    await expect(
      open({
        ...SETTINGS,
        endpoints: { ...ENDPOINTS, gamma: 7 },
        exchange: '0x12',
        gasless: true,
      }),
    ).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(
        /settings of venue_a.*\(endpoints\.gamma\).*0x and 40 hex digits.* \(exchange\).*"gasless"/,
      ),
    });
  });
});
