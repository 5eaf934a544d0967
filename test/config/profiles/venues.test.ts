import { getContractAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { liveProfile } from '../../../config/profiles/live.ts';
import { sandboxProfile } from '../../../config/profiles/sandbox.ts';
import { testProfile } from '../../../config/profiles/test.ts';
import { readEnvironment } from '../../../config/schema.ts';
import { poolFactory } from '../../../src/sandbox/venues/venue-c/chain/pool-address.ts';

const KEYS = {
  PREDICTD_MASTER_KEY: 'ab'.repeat(32),
  PREDICTD_INFERENCE_KEY: 'inference',
  PREDICTD_POLYGON_RPC_URL: 'https://polygon.example',
  PREDICTD_BASE_RPC_URL: 'https://base.example',
  PREDICTD_SOLANA_RPC_URL: 'https://solana.example',
};
const environment = (given: Readonly<Record<string, string>> = {}) =>
  readEnvironment({ ...KEYS, ...given });
const venuesOf = (given: Readonly<Record<string, string>>) =>
  liveProfile(environment(given)).endpoints?.venues;

describe('addresses of venues', () => {
  it.each([
    ['PREDICTD_CLOB_URL', 'venue_a', 'clobRest'],
    ['PREDICTD_CLOB_MARKET_SOCKET_URL', 'venue_a', 'clobMarketSocket'],
    ['PREDICTD_CLOB_USER_SOCKET_URL', 'venue_a', 'clobUserSocket'],
    ['PREDICTD_GAMMA_URL', 'venue_a', 'gamma'],
    ['PREDICTD_DATA_API_URL', 'venue_a', 'dataApi'],
    ['PREDICTD_VENUE_SITE_URL', 'venue_a', 'site'],
    ['PREDICTD_RTDS_URL', 'venue_a', 'rtds'],
    ['PREDICTD_FAUCET_URL', 'venue_a', 'faucet'],
    ['PREDICTD_BRIDGE_URL', 'venue_a', 'bridge'],
    ['PREDICTD_RELAYER_URL', 'venue_a', 'relayer'],
    ['PREDICTD_VENUE_B_METADATA_URL', 'venue_b', 'metadataUrl'],
    ['PREDICTD_VENUE_B_METADATA_SOCKET_URL', 'venue_b', 'metadataSocketUrl'],
    ['PREDICTD_VENUE_B_TRADE_URL', 'venue_b', 'tradeUrl'],
    ['PREDICTD_VENUE_B_PROOF_URL', 'venue_b', 'proofUrl'],
    ['PREDICTD_VENUE_B_PROOF_PAGE_URL', 'venue_b', 'proofPageUrl'],
    ['PREDICTD_VENUE_C_REST_URL', 'venue_c', 'poolRest'],
    ['PREDICTD_VENUE_C_SOCKET_URL', 'venue_c', 'poolSocket'],
    ['PREDICTD_VENUE_C_IDENTITY_URL', 'venue_c', 'poolIdentityUrl'],
    ['PREDICTD_VENUE_D_URL', 'venue_d', 'viewRest'],
  ])('are replaced by %s', (setting, id, name) => {
    const changed = venuesOf({ [setting]: 'https://elsewhere.example/' })?.[id];
    expect(changed).toEqual({ ...venuesOf({})?.[id], [name]: 'https://elsewhere.example' });
    expect(changed).not.toEqual(venuesOf({})?.[id]);
  });

  it('are what each venue is opened with, whoever runs it', () => {
    const live = liveProfile(environment());
    const opened = live.venues({ venues: live.endpoints?.venues ?? {} });
    expect(Object.keys(opened)).toEqual(['venue_a', 'venue_b', 'venue_c', 'venue_d']);
    expect(opened['venue_b']).toMatchObject({ endpoints: venuesOf({})?.['venue_b'] });

    const urls = { clobRest: 'http://127.0.0.1:1' };
    const ofWorld = { venues: { venue_a: urls, venue_x: {} } };
    expect(sandboxProfile(environment()).venues(ofWorld)).toEqual({
      venue_a: expect.objectContaining({ endpoints: urls, settlesOnChain: true }),
    });
  });

  it('go with what the pools of venue_c are clones of: of the sandbox its own, else what is set', () => {
    const master = getContractAddress({ opcode: 'CREATE', from: poolFactory().address, nonce: 1n });
    const set = `0x${'12'.repeat(20)}`;
    const endpoints = { venues: { venue_c: { poolRest: 'http://127.0.0.1:1' } } };
    const given = environment({ PREDICTD_VENUE_C_POOL_MASTERS: set });
    expect(sandboxProfile(environment()).venues(endpoints)['venue_c']).toMatchObject({
      poolMasters: [master],
    });
    expect(liveProfile(given).venues(endpoints)['venue_c']).toMatchObject({ poolMasters: [set] });
  });

  it('of venue_b, venue_c and venue_d are kept in `test` where a world beside runs them', () => {
    const kept = (given: Readonly<Record<string, string>>) =>
      Object.keys(testProfile(environment(given)).endpoints?.venues ?? {});
    expect(kept({})).toEqual(['venue_a']);
    expect(kept({ PREDICTD_VENUE_B_METADATA_URL: 'http://127.0.0.1:1' })).toEqual([
      'venue_a',
      'venue_b',
    ]);
    expect(kept({ PREDICTD_VENUE_C_REST_URL: 'http://127.0.0.1:1' })).toEqual([
      'venue_a',
      'venue_c',
    ]);
    expect(kept({ PREDICTD_VENUE_D_URL: 'http://127.0.0.1:1' })).toEqual(['venue_a', 'venue_d']);
  });

  it('go with the key of venue_d and what is a dollar there', () => {
    const endpoints = { venues: { venue_d: { viewRest: 'http://127.0.0.1:1' } } };
    const opened = (given: Readonly<Record<string, string>>) =>
      liveProfile(environment(given)).venues(endpoints)['venue_d'];
    expect(opened({})).toMatchObject({ apiKey: null });
    expect(opened({ PREDICTD_VENUE_D_KEY: 'a-key' })).toMatchObject({
      apiKey: 'a-key',
      networks: expect.arrayContaining([
        {
          chainId: 2741,
          name: 'Abstract',
          tokens: [
            expect.objectContaining({ symbol: 'USDC.e', isDollar: true }),
            expect.objectContaining({ symbol: 'PENGU', isDollar: false }),
            expect.objectContaining({ symbol: 'PTS', isDollar: false }),
          ],
        },
      ]),
    });
  });
});

describe('the relayer and the bridge of Safes', () => {
  it('are those of the venue whose Safes they are', () => {
    const { endpoints, safeServices } = liveProfile(
      environment({ PREDICTD_RELAYER_URL: 'https://relay.example' }),
    );
    expect(safeServices({ venues: endpoints?.venues ?? {} })).toEqual({
      relayer: 'https://relay.example',
      bridge: 'https://bridge.polymarket.com',
    });
    expect(() => safeServices({ venues: {} })).toThrow('lack its relayer');
  });
});
