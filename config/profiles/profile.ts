import type { Asset } from '../../src/domain/ids.ts';
import type { Environment } from '../schema.ts';
import type { FeedsPlan } from './feeds.ts';
import type { IdentityPlan } from './identity.ts';
import type { PushPlan } from './push.ts';
import type { VenueAMoney } from './venue-a-contracts.ts';

/** Base URLs of one venue by their names; null for what there is not. */
export type VenueAddresses = Readonly<Record<string, string | null>>;

/** Base URLs of everything outside, without trailing slashes. */
export interface Endpoints {
  /** Those of each venue, by its id and by the venue's own names; absent where it is not served. */
  readonly venues: Readonly<Record<string, VenueAddresses>>;
  readonly inference: string;
  readonly dataStreamsRest: string;
  readonly dataStreamsSocket: string;
  readonly exchangeRest: string;
  readonly exchangeSocket: string;
  /** JSON-RPC of chains 137 and 8453. */
  readonly polygonRpc: string;
  readonly baseRpc: string;
  /** JSON-RPC of chains 1, 56 and 42161; null where wallets there are not looked at. */
  readonly ethereumRpc: string | null;
  readonly bscRpc: string | null;
  readonly arbitrumRpc: string | null;
  readonly solanaRpc: string;
  /** Issuer of the OpenID provider; null where that sign-in is off. */
  readonly openId: string | null;
  /**
   * OpenAI-compatible interface of the risk assessor, with its version; null where markets are
   * farmed without one.
   */
  readonly assessor: string | null;
  /**
   * JSON-RPC of chain 10, where the social protocol's registries are; null where that
   * sign-in is off.
   */
  readonly socialRpc: string | null;
  /** Brings its sign-ins to people's phones; null where that sign-in is off. */
  readonly socialRelay: string | null;
  /** A push service for trying out messages to browsers; null where browsers bring their own. */
  readonly push: string | null;
  /**
   * Rankings of tokens (GeckoTerminal's interface, with its version) and tokens with their pairs
   * (DexScreener's).
   */
  readonly geckoTerminal: string;
  readonly dexScreener: string;
  /** The swap and bridge router (LI.FI's interface), with its version. */
  readonly router: string;
  /** Takes public files for IPFS (Pinata's interface). */
  readonly pinning: string;
  /**
   * The sandbox's switchboard of faults, shown to the person at the terminal; null
   * outside of it.
   */
  readonly control: string | null;
}

/**
 * Keys for outside services. Null means the service is not used; a needed one that is missing stops
 * the start.
 */
export interface Credentials {
  /** Empty where feeds ask the network. */
  readonly inferenceKey: string;
  /** Without a key the venue's own mirror of the oracle is the only source. */
  readonly dataStreams: { readonly key: string; readonly secret: string } | null;
  /** At the router, and at CoinGecko for the rankings; null for what is free without one. */
  readonly routerKey: string | null;
  readonly geckoKey: string | null;
  /**
   * At an indexer of wallets' tokens, and its address with `{network}` for the name of one; null
   * where none is asked.
   */
  readonly indexer: { readonly url: string; readonly key: string } | null;
  /** At the pinning service; null where no tokens are launched. */
  readonly pinningKey: string | null;
  /** At the risk assessor; null without one. */
  readonly assessor: { readonly key: string; readonly model: string } | null;
  /** A builder's at the relayer (venue_a.md section 2.3); without them it takes nothing. */
  readonly relayer: {
    readonly key: string;
    readonly secret: string;
    readonly passphrase: string;
  } | null;
}

/** venue_a's chain facts (venue_a.md sections 1.3 and 5.1). */
export interface VenueAChain {
  readonly chainId: number;
  readonly exchange: `0x${string}`;
  readonly negRiskExchange: `0x${string}`;
  readonly domainName: string;
  readonly domainVersion: string;
  /** Keccak-256 of the code of contracts by address, of those whose code is known. */
  readonly codeHashes?: Readonly<Record<`0x${string}`, `0x${string}`>>;
  /** From an owner's address to its wallets (venue_a.md section 14.1). */
  readonly wallets: {
    readonly safe: {
      readonly factory: `0x${string}`;
      readonly initCodeHash: `0x${string}`;
      readonly salt: 'padded_owner' | 'packed_owner';
    };
    readonly deposit: { readonly factory: `0x${string}`; readonly beacon: `0x${string}` };
  };
}

/** What moves money in and out of Safes. */
export interface SafeServices {
  /** The gasless relayer. */
  readonly relayer: string;
  /** Takes money in from other chains. */
  readonly bridge: string;
}

/** A sandbox world to be started beside the daemon. */
interface WorldPlan {
  readonly seed: number;
  /** A recorded settlement feed to replay; null for the seeded process. */
  readonly pricesFile: string | null;
  readonly faults: readonly string[];
}

/**
 * One way to run: which adapters, which base URLs, which clock. Only profiles and the composition
 * root know these differences.
 */
export interface Profile {
  readonly name: Environment['PREDICTD_PROFILE'];
  /** Null when the endpoints are given. */
  readonly world: WorldPlan | null;
  /** Null when the world brings them. */
  readonly endpoints: Endpoints | null;
  readonly credentials: Credentials;
  /** Feeds that prices, predictions and books are read from; null for the sources themselves. */
  readonly feeds: FeedsPlan | null;
  readonly chain: VenueAChain;
  /** Contracts that money in Safes is moved by. */
  readonly money: VenueAMoney;
  /**
   * What each venue is opened with, by its id, once the addresses are known; the venue checks it.
   */
  readonly venues: (endpoints: Pick<Endpoints, 'venues'>) => Readonly<Record<string, unknown>>;
  /** Where the services are that money in Safes is moved by. */
  readonly safeServices: (endpoints: Pick<Endpoints, 'venues'>) => SafeServices;
  readonly dataStreamsFeeds: Readonly<Record<Asset, string>>;
  /** How many seconds of service time pass in one second. */
  readonly clockScale: number;
  /** Creates and enables a user with a token on screen. */
  readonly demoUser: boolean;
  /** USDC granted to a new user where a faucet exists, micros. */
  readonly grantUsdcMicros: number;
  readonly identity: IdentityPlan;
  readonly push: PushPlan;
}

/**
 * venue_a on Polygon, contracts of the order format in force (venue_a.md section 1.3, confidence
 * V).
 */
export const POLYGON_EXCHANGE: Omit<VenueAChain, 'wallets'> = {
  chainId: 137,
  exchange: '0xE111180000d2663C0091e4f400237545B87B996B',
  negRiskExchange: '0xe2222d279d744050d28e00520010520000310F59',
  domainName: 'Polymarket CTF Exchange',
  domainVersion: '2',
};

/** The same with the factories of users' wallets. */
export const POLYGON_CHAIN: VenueAChain = {
  ...POLYGON_EXCHANGE,
  wallets: {
    safe: {
      factory: '0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b',
      initCodeHash: '0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf',
      salt: 'padded_owner',
    },
    deposit: {
      factory: '0x00000000000Fb5C9ADea0298D729A0CB3823Cc07',
      beacon: '0x7A18EDfe055488A3128f01F563e5B479D92ffc3a',
    },
  },
};

/** USDC on Solana (venue_b.md section 6). */
export const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

/** Chainlink Data Streams v3 feed ids (feeds.md section 2.1, confidence H). */
export const DATA_STREAMS_FEEDS: Readonly<Record<Asset, string>> = {
  BTC: '0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8',
  ETH: '0x000362205e10b3a147d02792eccee483dca6c7b44ecce7012cb8c6e0b68b3ae9',
  SOL: '0x0003b778d3f6b2ac4991302b89cb313f99a42467d6c9c5f96f57c29c0d2bc24f',
};
