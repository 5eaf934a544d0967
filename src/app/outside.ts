import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { createBridge } from '../adapters/bridge/bridge.ts';
import { createExchangeFeed } from '../adapters/exchange/exchange-feed.ts';
import { SPEC_TOPICS, createInferenceNetwork } from '../adapters/inference/inference-network.ts';
import { createDataStreams } from '../adapters/oracle/data-streams.ts';
import { createRiskAssessor } from '../adapters/risk-assessor/risk-assessor.ts';
import type { WalletAddresses } from '../adapters/safe-relayer/derive.ts';
import type { CredentialShelf } from '../venues/venue-a/accounts.ts';
import { createVenueA } from '../venues/venue-a/adapter.ts';
import { createFaucet } from '../venues/venue-a/faucet.ts';
import { createPriceSocket } from '../venues/venue-a/price-socket.ts';
import type { SignatureType } from '../venues/venue-a/order-hash.ts';
import { createOrderSigner } from '../venues/venue-a/sign.ts';
import type { Keccak } from '../adapters/wire/keccak.ts';
import type { Address } from '../domain/ids.ts';
import { asId } from '../domain/ids.ts';
import type { Bridge } from '../ports/bridge.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Random } from '../ports/random.ts';
import type { Store, Table } from '../ports/store.ts';
import type { Browsing, Faucet, MarketDirectory } from '../ports/venue.ts';
import type { Chains } from './chains.ts';
import { openChains } from './chains.ts';
import { ASSETS } from './core.ts';
import type { CorePorts } from './core.ts';
import { orderAccount } from './order-account.ts';

/** Sealed venue credentials: [userId]. */
const VENUE_CREDENTIALS: Table<{ readonly sealed: string }> = { name: 'venue_a_credentials' };

/** The outside world behind ports, by wire adapters. */
export interface Outside
  extends Pick<
    CorePorts,
    | 'signer'
    | 'rules'
    | 'traits'
    | 'gateway'
    | 'accounts'
    | 'directory'
    | 'scan'
    | 'books'
    | 'regionChecks'
    | 'oracle'
    | 'venueOracle'
    | 'exchange'
    | 'inference'
    | 'assessor'
  > {
  readonly discovery: MarketDirectory;
  readonly browsing: Browsing;
  readonly faucet: Faucet | null;
  readonly chains: Chains;
  readonly bridge: Bridge;
  close(): Promise<void>;
}

/** What the adapters are made of. */
export interface OutsideParts {
  readonly profile: Profile;
  readonly wallets: WalletAddresses;
  readonly signatureType: SignatureType;
  readonly endpoints: Endpoints;
  readonly store: Store;
  readonly vault: KeyVault;
  readonly keccak: Keccak;
  readonly random: Random;
  /** The markets' time, and people's. */
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly metrics: Metrics;
}

/** The network whose topic ids are documented (feeds.md section 1.2). */
const INFERENCE_CHAIN = 'allora-testnet-1';

/** Makes the wire adapters of a profile. Nothing is called before a port is used. */
export function createOutside({
  profile,
  endpoints,
  wallets,
  signatureType,
  store,
  vault,
  keccak,
  random,
  clock,
  wallClock,
  metrics,
}: OutsideParts): Outside {
  const { chain, credentials } = profile;
  const venue = createVenueA({
    config: { ...endpoints, chainId: chain.chainId, signatureType },
    vault,
    keccak,
    clock,
    metrics,
    shelf: credentialShelf(store),
    funderOf: (userId) => signer.makerOf(userId),
  });
  const signer = createOrderSigner({
    vault,
    keccak,
    random,
    config: {
      chainId: chain.chainId,
      exchange: asId<Address>(chain.exchange),
      negRiskExchange: asId<Address>(chain.negRiskExchange),
      domainName: chain.domainName,
      domainVersion: chain.domainVersion,
      account: orderAccount(signatureType, { wallets, vault }),
      ownerOf: (userId) => venue.ownerOf(userId),
    },
  });
  const oracle =
    credentials.dataStreams === null
      ? null
      : createDataStreams({
          restUrl: endpoints.dataStreamsRest,
          socketUrl: endpoints.dataStreamsSocket,
          credentials: credentials.dataStreams,
          feeds: ASSETS.map((asset) => ({
            asset,
            twapSeconds: null,
            feedId: profile.dataStreamsFeeds[asset],
          })),
          clock,
          wallClock,
          metrics,
        });
  const exchange = createExchangeFeed({
    restUrl: endpoints.exchangeRest,
    socketUrl: endpoints.exchangeSocket,
    clock,
    metrics,
  });
  const faucet = endpoints.faucet === null ? null : createFaucet(endpoints.faucet);
  const chains = openChains(endpoints, metrics);
  // Its calls are counted in people's time: nothing about money runs faster in a sandbox.
  const bridge = createBridge({ baseUrl: endpoints.bridge, clock: wallClock, metrics });
  const assessor =
    endpoints.assessor === null || credentials.assessor === null
      ? null
      : createRiskAssessor({ baseUrl: endpoints.assessor, ...credentials.assessor });
  const inference = createInferenceNetwork({
    baseUrl: endpoints.inference,
    key: credentials.inferenceKey,
    chainId: INFERENCE_CHAIN,
    topics: SPEC_TOPICS,
    clock,
    metrics,
  });
  return {
    signer,
    rules: venue.rules,
    traits: venue.traits,
    gateway: venue.orders,
    accounts: venue.accounts,
    directory: venue.directory,
    discovery: venue.discovery,
    browsing: venue.browsing,
    scan: venue.scan,
    books: venue.books,
    regionChecks: { venue_a: venue.region },
    oracle,
    venueOracle: createPriceSocket({ url: endpoints.rtds, clock, metrics }),
    exchange,
    inference,
    assessor,
    faucet,
    chains,
    bridge,
    close: async () => {
      await Promise.all([
        venue.close(),
        oracle?.close(),
        exchange.close(),
        inference.close(),
        assessor?.close(),
        faucet?.close(),
        chains.close(),
        bridge.close(),
      ]);
    },
  };
}

function credentialShelf(store: Store): CredentialShelf {
  return {
    get: (userId) => store.get(VENUE_CREDENTIALS, [userId])?.value.sealed ?? null,
    async put(userId, sealed) {
      await store.write((tx) => tx.put(VENUE_CREDENTIALS, [userId], { sealed }));
      await store.flushed();
    },
  };
}
