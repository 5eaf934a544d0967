import { z } from 'zod';
import { createEvmWalletReads } from '../../adapters/evm/wallet-reads.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import type { Store, Table } from '../../ports/store.ts';
import { venueRow } from '../contract.ts';
import { regionGate } from '../region-gate.ts';
import { createAccounts, type CredentialStore } from './accounts.ts';
import { createAllowances } from './allowances.ts';
import { createBookSource } from './books.ts';
import { createCandleSource } from './candles.ts';
import { createVenueClient } from './client.ts';
import { createDirectory } from './directory.ts';
import { createEndowment } from './faucet.ts';
import { beginCounts } from './figures.ts';
import { venueCApi } from './http/api.ts';
import { POOL, VENUE_C_ID } from './id.ts';
import { createOrderBook } from './order-book/trading.ts';
import { createAccountTokens } from './identity.ts';
import { createGroups, createListing, createPlaces } from './listing.ts';
import { createPayoutReads } from './payouts.ts';
import { createPoolBooks } from './pool/books.ts';
import { createKnownPools } from './pool/known-pools.ts';
import { createPoolTrading } from './pool/trading.ts';
import { createRedeemer } from './redeemer.ts';

const address = (setting: string) => z.url(`set ${setting}: an address`);
const contract = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an address of chain 8453');

/** Base addresses without trailing slashes (venue_c.md section 1). */
const endpoints = z.object({
  poolRest: address('PREDICTD_VENUE_C_REST_URL'),
  poolSocket: address('PREDICTD_VENUE_C_SOCKET_URL'),
  /** Where the login provider gives identity tokens; null where no account can be opened. */
  poolIdentityUrl: z.url().nullable(),
  /** Test money; null where money is real. */
  poolEndowmentUrl: z.url().nullable(),
});

/** With the chain's facts (venue_c.md section 5). */
const settings = z.strictObject({
  endpoints,
  usdc: contract,
  conditionalTokens: contract,
  /** What orders may be signed for. */
  exchanges: z.array(contract).min(1),
  /** What shares of markets of groups may be allowed to. */
  adapters: z.array(contract),
  /** What its pools are clones of; none: pools are not traded with. */
  poolMasters: z.array(contract),
  /** Where this service serves people, and where the venue does not: countries by ISO 3166. */
  region: z.string().nullable(),
  restrictedRegions: z.array(z.string()),
});

/** Sealed credentials of users' accounts: [userId]. */
const CREDENTIALS: Table<{ readonly sealed: string }> = { name: 'venue_c_credentials' };

/** venue_c. */
export const venueC = venueRow({
  id: VENUE_C_ID,
  cashAccount: 'usdc:base',
  api: venueCApi,
  tables: { [CREDENTIALS.name]: 0 },
  settings,
  async open(
    { store, vault, keccak, random, transport, chain, transactions, clock, wallClock, metrics },
    given,
  ) {
    beginCounts(metrics);
    const client = createVenueClient({
      url: given.endpoints.poolRest,
      transport,
      clock,
      wallClock,
      metrics,
    });
    const [places, groups] = [createPlaces(), createGroups()];
    const base = chain('BASE');
    const money = {
      usdc: asId<Address>(given.usdc),
      conditionalTokens: asId<Address>(given.conditionalTokens),
    };
    const pools = createKnownPools({
      evm: base.evm,
      keccak,
      money,
      masters: given.poolMasters,
    });
    const payouts = createPayoutReads(base.evm, given.conditionalTokens);
    const poolBooks = createPoolBooks({ evm: base.evm, pools, money, clock });
    const inLane = (lane: 'trading' | 'discovery' | 'browsing') => {
      const reader = client.inLane(lane);
      const listing = createListing({
        client: reader,
        contracts: given,
        clock,
        metrics,
        places,
        groups,
      });
      const books = createBookSource({
        url: given.endpoints.poolSocket,
        clock,
        wallClock,
        metrics,
        client: reader,
        listing,
        openSocket: transport.openSocket,
        pools: poolBooks,
      });
      return { directory: createDirectory({ listing, clock, payouts }), books };
    };
    const [trading, discovery, browsing] = [
      inLane('trading'),
      inLane('discovery'),
      inLane('browsing'),
    ];
    const { poolIdentityUrl, poolEndowmentUrl } = given.endpoints;
    const walletOf = async (userId: UserId): Promise<Address> => {
      if (!vault.has(userId)) await vault.load(userId);
      return vault.addressOf(userId);
    };
    const tokens =
      poolIdentityUrl === null
        ? null
        : createAccountTokens(client, { url: poolIdentityUrl, transport });
    const accounts = createAccounts({
      client,
      tokens,
      vault,
      walletOf,
      records: credentialStore(store),
      clock: wallClock,
      chain: base,
      wallet: createEvmWalletReads({
        evm: base.evm,
        walletOf,
        ...money,
        exchanges: given.exchanges.map((address) => asId<Address>(address)),
      }),
    });
    const allowances = createAllowances({
      ...given,
      accounts,
      walletOf,
      transactions,
      chain: base,
    });
    const endowment =
      poolEndowmentUrl === null ? null : createEndowment(poolEndowmentUrl, transport);
    return {
      catalogue: trading.directory,
      discovery: discovery.directory,
      browsing: { ...browsing, candles: createCandleSource(client.inLane('browsing'), clock) },
      rounds: null,
      books: trading.books,
      prices: null,
      accounts,
      mechanisms: {
        order_book: createOrderBook({
          vault,
          keccak,
          random,
          evm: base.evm,
          conditionalTokens: money.conditionalTokens,
          client,
          accounts,
          allowances,
          catalogue: trading.directory,
          metrics,
          url: given.endpoints.poolSocket,
          clock,
          wallClock,
          openSocket: transport.openSocket,
        }),
        [POOL]: createPoolTrading({
          vault,
          walletOf,
          random,
          chain: base,
          money,
          pools,
          transactions,
          clock,
          wallClock,
        }),
      },
      assertRegionAllowsBuys: regionGate(given),
      scan: null,
      access: null,
      redemption: 'transaction',
      redeemer: createRedeemer({ ...given, walletOf, evm: base.evm, allowances }),
      identity: null,
      faucet: endowment && {
        grant: async (userId, usdc) => endowment.grant(await walletOf(userId), usdc),
      },
      async close() {
        await Promise.all([client.close(), tokens?.close(), endowment?.close()]);
      },
    };
  },
});

function credentialStore(store: Store): CredentialStore {
  return {
    get: (userId) => store.get(CREDENTIALS, [userId])?.value.sealed ?? null,
    put: (userId, sealed) => store.write((tx) => tx.put(CREDENTIALS, [userId], { sealed })),
  };
}
