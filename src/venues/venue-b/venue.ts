import { z } from 'zod';
import type { SolanaAddress, UserId } from '../../domain/ids.ts';
import type { Store, Table } from '../../ports/store.ts';
import { createSolanaHistories } from '../../adapters/solana/history.ts';
import { createSolanaTrials } from '../../adapters/solana/trials.ts';
import { VENUE_B_TRAITS } from '../../../config/limits/venue-b.ts';
import { venueRow } from '../contract.ts';
import { createAccounts } from './accounts.ts';
import { createBookSource } from './books.ts';
import { createCandleSource } from './candles.ts';
import { createVenueClient } from './client.ts';
import { createDirectory } from './directory.ts';
import { beginCounts } from './figures.ts';
import { venueBApi } from './http/api.ts';
import { VENUE_B_ID } from './id.ts';
import { createEndowment } from './faucet.ts';
import { createIdentityCheck, type VerifiedWallets } from './identity.ts';
import { createListing, createPlaces } from './listing.ts';
import { maintenanceGate } from './maintenance.ts';
import { createOrderGas } from './order-gas.ts';
import { createOrderGateway } from './order-gateway.ts';
import { createOrderRecords } from './order-records.ts';
import { isKey } from './parse.ts';
import { regionGate } from '../region-gate.ts';
import { venueBRules } from './rules.ts';
import { createMarketScan } from './scan.ts';
import { createOrderSigner } from './sign.ts';
import { SPONSORED, createSponsor, isSecretKey } from './sponsor.ts';

const address = (setting: string) => z.url(`set ${setting}: an address`);
const key = z.string().refine(isKey, 'a Solana address');

/** Base addresses without trailing slashes (venue_b.md section 2). */
const endpoints = z.object({
  metadataUrl: address('PREDICTD_VENUE_B_METADATA_URL'),
  metadataSocketUrl: address('PREDICTD_VENUE_B_METADATA_SOCKET_URL'),
  tradeUrl: address('PREDICTD_VENUE_B_TRADE_URL'),
  proofUrl: address('PREDICTD_VENUE_B_PROOF_URL'),
  /** Where people prove who they are. */
  proofPageUrl: address('PREDICTD_VENUE_B_PROOF_PAGE_URL'),
  /** Test money; null where money is real. */
  endowmentUrl: z.url().nullable(),
});

/** With the chain's facts (venue_b.md section 6). */
const settings = z.strictObject({
  endpoints,
  /** Where that page sends them afterwards; null for nowhere. */
  returnUrl: z.url('set PREDICTD_VENUE_B_RETURN_URL: an address').nullable(),
  usdcMint: key,
  /** What an order's transaction may call. */
  programs: z.array(key).min(1),
  /**
   * Where this service serves people, and where its venue does not sell: countries by ISO 3166,
   * null for an unnamed one.
   */
  region: z.string().nullable(),
  restrictedRegions: z.array(z.string()),
  /** True where nothing is bought in the venue's weekly hours of maintenance. */
  keepsMaintenance: z.boolean(),
  /** Who pays the network for orders; null where each user does. */
  sponsor: z
    .object({
      key: z.string().refine(isSecretKey, 'set PREDICTD_VENUE_B_SPONSOR_KEY: a secret key'),
      dailyLamports: z.int().positive(),
      exec: z.boolean().nullable(),
    })
    .nullable(),
  /** Null where none is asked for. */
  apiKey: z.string('set PREDICTD_VENUE_B_KEY: the key that the venue gave you').nullable(),
});

/** Wallets whose person the venue knows: [address]. */
const VERIFIED: Table<{ readonly atMs: number }> = { name: 'venue_b_verified' };

/** venue_b. */
export const venueB = venueRow({
  id: VENUE_B_ID,
  cashAccount: 'usdc:solana',
  api: venueBApi,
  tables: { [VERIFIED.name]: 'wallet', [SPONSORED.name]: 1 },
  settings,
  async open({ store, vault, transport, chain, clock, wallClock, metrics }, given) {
    beginCounts(metrics);
    const { usdcMint: settlementMint, apiKey, endpoints: urls } = given;
    const client = createVenueClient({ urls, apiKey, transport, clock, metrics });
    const { solana, node } = chain('SOLANA');
    const trials = createSolanaTrials(node);
    const sponsor =
      given.sponsor && createSponsor(given.sponsor, { store, solana, wallClock, metrics });
    const places = createPlaces();
    const endowment =
      urls.endowmentUrl === null ? null : createEndowment(urls.endowmentUrl, transport);
    const reading = (lane: 'trading' | 'discovery' | 'browsing') => {
      const reader = client.inLane(lane);
      return {
        client: reader,
        listing: createListing({ client: reader, settlementMint, metrics, places }),
      };
    };
    const discovering = reading('discovery');
    const inLane = (lane: 'trading' | 'discovery' | 'browsing') => {
      const { client: reader, listing } = lane === 'discovery' ? discovering : reading(lane);
      const books = createBookSource({
        url: urls.metadataSocketUrl,
        apiKey,
        clock,
        metrics,
        client: reader,
        listing,
        openSocket: transport.openSocket,
      });
      return { directory: createDirectory({ client: reader, listing, clock }), books };
    };
    const [trading, discovery, browsing] = [
      inLane('trading'),
      inLane('discovery'),
      inLane('browsing'),
    ];
    const histories = createSolanaHistories(node);
    const walletOf = async (userId: UserId): Promise<SolanaAddress> => {
      if (!vault.has(userId)) await vault.load(userId);
      return vault.solanaAddressOf(userId);
    };
    const accounts = createAccounts({ vault, solana, histories, settlementMint, sponsor });
    return {
      catalogue: trading.directory,
      discovery: discovery.directory,
      browsing: { ...browsing, candles: createCandleSource(client.inLane('browsing')) },
      rounds: null,
      books: trading.books,
      prices: null,
      accounts,
      assertRegionAllowsBuys: regionGate(given),
      mechanisms: {
        router: {
          traits: VENUE_B_TRAITS,
          rules: venueBRules,
          signer: createOrderSigner({
            client,
            books: { snapshot: (tokenId) => trading.books.read(tokenId) },
            settlementMint,
            trials,
            programs: new Set(given.programs),
            vault,
            solana,
            sponsor,
            assertRegion: regionGate(given),
            assertNoMaintenance: maintenanceGate({ keepsHours: given.keepsMaintenance, clock }),
          }),
          gas: createOrderGas({ walletOf, solana, trials, sponsor, settlementMint, wallClock }),
          gateway: createOrderGateway({ client, solana, trials, clock, walletOf }),
          records: createOrderRecords({
            client,
            wallet: accounts.wallet,
            catalogue: trading.directory,
            clock,
          }),
        },
      },
      scan: createMarketScan({ ...discovering, clock, metrics }),
      access: null,
      redemption: 'order',
      ...(given.sponsor === null || sponsor === null
        ? {}
        : {
            sponsor: {
              address: sponsor.address,
              dailyLamports: given.sponsor.dailyLamports,
              lamports: () => solana.lamports(sponsor.address),
            },
          }),
      identity: createIdentityCheck({
        client,
        vault,
        verified: verifiedWallets(store, () => wallClock.nowMs()),
        proofPageUrl: urls.proofPageUrl,
        returnUrl: given.returnUrl,
        wallClock,
      }),
      faucet: endowment && {
        grant: async (userId, usdc) => endowment.grant(await walletOf(userId), usdc),
      },
      async close() {
        await Promise.all([client.close(), endowment?.close()]);
      },
    };
  },
});

function verifiedWallets(store: Store, nowMs: () => number): VerifiedWallets {
  return {
    has: (wallet: SolanaAddress) => store.get(VERIFIED, [wallet]) !== null,
    async keep(wallet) {
      await store.write((tx) => tx.put(VERIFIED, [wallet], { atMs: nowMs() }));
    },
  };
}
