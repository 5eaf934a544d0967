import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import type { VenueTraits } from '../../domain/venue.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { MarketScan } from '../../ports/market-scan.ts';
import type { OrderRules } from '../../ports/order-rules.ts';
import type { Browsing, RegionCheck, VenueAccounts } from '../../ports/venue.ts';
import type { Catalogue, RoundDirectory } from '../../ports/catalogue.ts';
import type { ListingGateway } from '../../ports/order-gateway.ts';
import type { OrderRecords } from '../../ports/order-records.ts';
import type { BookSource } from '../../ports/venue-books.ts';
import type { Keccak } from '../../adapters/wire/keccak.ts';
import { NETWORK, type Transport } from '../../adapters/wire/transport.ts';
import { createAccounts, type CredentialStore } from './accounts.ts';
import { createBookSource } from './books.ts';
import { createVenueClient } from './client.ts';
import { createCandleSource } from './candles.ts';
import { createDirectory } from './directory.ts';
import { createOrderGateway } from './order-gateway.ts';
import { createOrderRecords } from './order-records.ts';
import { createRegionCheck } from './region.ts';
import { createRefusedMarkets } from './discovery/refused-markets.ts';
import { createMarketScan } from './scan.ts';
import type { SignatureType } from './orders/order-hash.ts';
import { venueARules } from './rules.ts';
import { createUserSocket } from './user-socket.ts';
import { readVenueClock } from './venue-clock.ts';

/** Where the venue is, and how accounts sign. URLs without trailing slashes. */
interface VenueAConfig {
  readonly clobRest: string;
  readonly clobMarketSocket: string;
  readonly clobUserSocket: string;
  readonly gamma: string;
  readonly dataApi: string;
  readonly site: string;
  readonly chainId: number;
  readonly signatureType: SignatureType;
}

/** The venue behind its ports. */
export interface VenueA {
  readonly rules: OrderRules;
  readonly traits: VenueTraits;
  readonly orders: ListingGateway;
  readonly orderRecords: OrderRecords;
  readonly accounts: VenueAccounts;
  /** Markets as orders need them. */
  readonly directory: Catalogue;
  /**
   * The same for agents that search for markets, within a share of the venue's rates of their own.
   */
  readonly discovery: Catalogue & RoundDirectory;
  /** The same for people who browse, within a share of their own. */
  readonly browsing: Browsing;
  readonly scan: MarketScan;
  readonly books: BookSource;
  readonly region: RegionCheck;
  /**
   * API key that owns a user's orders: the signer asks for it. Errors: `not_found` while the
   * account is not open.
   */
  ownerOf(userId: UserId): string;
  /** Ends the kept-alive connections; sockets end with their watches. */
  /** The venue's clock, epoch ms. */
  readClock(): Promise<number>;
  close(): Promise<void>;
}

/** Makes the venue_a adapter. Nothing is called before a port is used. */
export function createVenueA({
  config,
  vault,
  keccak,
  clock,
  metrics,
  records,
  funderOf,
  transport = NETWORK,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  readonly config: VenueAConfig;
  readonly vault: KeyVault;
  readonly keccak: Keccak;
  readonly records: CredentialStore;
  /** Address whose funds a user's orders move: the signer's `makerOf`. */
  readonly funderOf: (userId: UserId) => Address;
  /** Default: the network. */
  readonly transport?: Transport;
}): VenueA {
  const client = createVenueClient({ urls: config, clock, metrics, transport });
  const accounts = createAccounts({
    client,
    vault,
    keccak,
    clock,
    chainId: config.chainId,
    signatureType: config.signatureType,
    records,
    funderOf,
  });
  const watch = createUserSocket({
    url: config.clobUserSocket,
    clock,
    metrics,
    accounts,
    funderOf,
    open: transport.openSocket,
  });
  const [discovering, browsing] = [client.inLane('discovery'), client.inLane('browsing')];
  const note = createRefusedMarkets(metrics);
  const bookParts = {
    url: config.clobMarketSocket,
    clock,
    metrics,
    open: transport.openSocket,
  };
  const gateway = createOrderGateway({ client, accounts, metrics, watch, funderOf });
  const directory = createDirectory({ client, clock, note });
  return {
    rules: venueARules,
    traits: VENUE_A_TRAITS,
    orders: gateway,
    orderRecords: createOrderRecords({ client, accounts, gateway, catalogue: directory }),
    accounts,
    directory,
    discovery: createDirectory({ client: discovering, clock, note }),
    browsing: {
      directory: createDirectory({ client: browsing, clock, note }),
      books: createBookSource({ ...bookParts, client: browsing }),
      candles: createCandleSource(browsing),
    },
    scan: createMarketScan({ client: discovering, metrics, note }),
    books: createBookSource({ ...bookParts, client }),
    region: createRegionCheck(client),
    ownerOf: (userId) => accounts.openAccount(userId).credentials.key,
    readClock: () => readVenueClock(discovering),
    close: () => client.close(),
  };
}
