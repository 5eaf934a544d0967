import { z } from 'zod';
import { SAFE_CASH } from '../../domain/cash.ts';
import { asId, type Address } from '../../domain/ids.ts';
import type { Store, Table } from '../../ports/store.ts';
import { venueRow } from '../contract.ts';
import type { CredentialStore } from './accounts.ts';
import { createVenueA } from './adapter.ts';
import { createFaucet } from './faucet.ts';
import { beginCounts } from './figures.ts';
import { venueAApi } from './http/api.ts';
import { VENUE_A_ID } from './id.ts';
import { FORMS, openSignatureType, orderAccount } from './orders/order-account.ts';
import { createPriceSocket } from './market-data/price-socket.ts';
import { redeemerOf } from './own.ts';
import { createOrderSigner } from './sign.ts';

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, '0x and 40 hex digits')
  .transform((text) => asId<Address>(text));

/** Base URLs without trailing slashes (venue_a.md section 1.1). */
const endpoints = z.object({
  clobRest: z.string(),
  clobMarketSocket: z.string(),
  clobUserSocket: z.string(),
  gamma: z.string(),
  dataApi: z.string(),
  /** The website: asked whether it takes orders from here. */
  site: z.string(),
  /** The venue's mirror of the oracle. */
  rtds: z.string(),
  /** Test collateral; null where money is real. */
  faucet: z.string().nullable(),
});

/** The chain facts that orders are signed with (venue_a.md sections 1.3 and 5.1). */
const settings = z.strictObject({
  endpoints,
  chainId: z.int(),
  exchange: address,
  negRiskExchange: address,
  domainName: z.string(),
  domainVersion: z.string(),
  /**
   * Whose funds orders move: 0 the EVM key's own, 2 the Safe's, 3 the deposit wallet's; null for
   * what the store was made with, the Safe's in a fresh one.
   */
  signatureType: z.union([z.literal(0), z.literal(2), z.literal(3)]).nullable(),
  /**
   * False where the venue keeps its books by itself instead of settling on the chain: it then pays
   * winners by itself too.
   */
  settlesOnChain: z.boolean(),
  /** The adapters that redeem what was won (venue_a.md section 14.5). */
  redeemers: z.strictObject({ standard: address, negRisk: address }),
});

/** Sealed venue credentials: [userId]. */
const VENUE_CREDENTIALS: Table<{ readonly sealed: string }> = { name: 'venue_a_credentials' };

/** venue_a. */
export const venueA = venueRow({
  id: VENUE_A_ID,
  cashAccount: SAFE_CASH,
  api: venueAApi,
  tables: { [FORMS.name]: 'all', [VENUE_CREDENTIALS.name]: 0 },
  settings,
  async open({ store, vault, keccak, wallets, random, transport, clock, metrics }, settings) {
    beginCounts(metrics);
    const signatureType = await openSignatureType(store, settings.signatureType);
    const adapter = createVenueA({
      config: { ...settings.endpoints, chainId: settings.chainId, signatureType },
      vault,
      keccak,
      clock,
      metrics,
      transport,
      records: credentialStore(store),
      funderOf: (userId) => signer.makerOf(userId),
    });
    const signer = createOrderSigner({
      vault,
      keccak,
      random,
      config: {
        ...settings,
        account: orderAccount(signatureType, { wallets, vault }),
        ownerOf: (userId) => adapter.ownerOf(userId),
      },
    });
    const { faucet: faucetUrl } = settings.endpoints;
    const faucet = faucetUrl === null ? null : createFaucet(faucetUrl, transport);
    return {
      catalogue: adapter.directory,
      discovery: adapter.discovery,
      browsing: adapter.browsing,
      rounds: adapter.discovery,
      books: adapter.books,
      prices: createPriceSocket({
        url: settings.endpoints.rtds,
        clock,
        metrics,
        open: transport.openSocket,
      }),
      accounts: adapter.accounts,
      mechanisms: {
        order_book: {
          traits: adapter.traits,
          rules: adapter.rules,
          signer,
          gateway: adapter.orders,
          records: adapter.orderRecords,
        },
      },
      scan: adapter.scan,
      access: adapter.region,
      identity: null,
      redemption: settings.settlesOnChain && signatureType === 2 ? 'transaction' : null,
      safeRedeemer: (market) => redeemerOf(settings.redeemers, market),
      faucet: faucet && {
        grant: (userId, usdc) => faucet.grant(signer.makerOf(userId), usdc),
      },
      readClock: () => adapter.readClock(),
      async close() {
        await Promise.all([adapter.close(), faucet?.close()]);
      },
    };
  },
});

function credentialStore(store: Store): CredentialStore {
  return {
    get: (userId) => store.get(VENUE_CREDENTIALS, [userId])?.value.sealed ?? null,
    async put(userId, sealed) {
      await store.write((tx) => tx.put(VENUE_CREDENTIALS, [userId], { sealed }));
      await store.flushed();
    },
  };
}
