import type { Clock } from '../ports/clock.ts';
import type { MarketTime } from '../ports/market-time.ts';
import type { DataStreamsAccount } from './feeds/data-streams/data-streams-auth.ts';
import type { SettlementRule } from './feeds/prices/settlement-prices.ts';
import type { WorldPrices } from './feeds/world-prices.ts';
import type { OpenIdClient } from './identity/open-id/open-id.ts';
import type { VenueUrls } from './venues/table.ts';

/** How a world behaves. Plain JSON. */
export interface WorldRules {
  /** A whole number: same seed and same times, same prices, markets and quotes. */
  readonly seed: number;
  /** What settles a round; `spot` unless stated. */
  readonly rule?: SettlementRule;
  /** False leaves every book empty but for the orders of users. */
  readonly makers?: boolean;
  /**
   * Correlation of a prediction with the coming return; 0.1 unless stated: right in 53 of 100
   * cases.
   */
  readonly inferenceSkill?: number;
  /**
   * True closes what venues close every week, at their hours; unless stated only faults do, so that
   * a sandbox can be tried at any hour.
   */
  readonly weeklyMaintenance?: boolean;
  /** Delays in ms of the clock; the rest keeps the venue's usual ones. */
  readonly delays?: Partial<WorldDelays>;
  /** Faults armed from the start: a name, or `name:times`. */
  readonly faults?: readonly string[];
}

/** Times of the venues, in ms. */
export interface WorldDelays {
  readonly listingHorizonMs: number;
  readonly hydrationDelayMs: number;
  readonly strikeDelayMs: number;
  readonly resolutionDelayMs: number;
  readonly minedAfterMs: number;
  readonly confirmedAfterMs: number;
}

/** How a world is made. Everything but the clock is plain JSON. */
export interface WorldSettings extends WorldRules {
  /** Folder in which the world outlives a stop; null keeps nothing. */
  readonly dataDir: string | null;
  readonly credentials: {
    readonly inferenceKey: string;
    readonly dataStreams: DataStreamsAccount;
    readonly relayer: {
      readonly key: string;
      readonly secret: string;
      readonly passphrase: string;
    };
    /** Shown by who uploads public files. */
    readonly pinningKey: string;
    readonly openId?: OpenIdClient;
    readonly languageModelKey?: string;
  };
  /**
   * False does without the local EVM chains and the relayer: a world that lives in its caller's
   * process and moves no money on them.
   */
  readonly chains?: boolean;
  /**
   * Where users' money is and their trades settle: in the model, which is the default, or on the
   * chain.
   */
  readonly settlement?: 'model' | 'chain';
  /** The seeded process unless stated. */
  readonly prices?: WorldPrices;
}

/** A world in this process. */
export interface WorldOptions extends WorldSettings {
  /** Market time. */
  readonly clock: Clock;
  /**
   * The chains' time, and that of callers: what a wallet signs lives a minute of its owner's,
   * however fast the markets run.
   */
  readonly wallClock: Clock;
  /** How the two go together: as one, unless stated. */
  readonly marketTime?: MarketTime;
}

/** Base addresses without trailing slashes. */
export interface WorldUrls {
  readonly inference: string;
  readonly dataStreamsRest: string;
  readonly dataStreamsSocket: string;
  readonly exchangeRest: string;
  readonly exchangeSocket: string;
  /**
   * A Solana node; the same address with ws:// takes subscriptions, `POST /faucet` there gives
   * lamports and test USDC.
   */
  readonly solanaRpc: string;
  /** An OpenID provider; null without a registration there. */
  readonly openId: string | null;
  /** An OpenAI-compatible language model, with its version; null without a key to it. */
  readonly languageModel: string | null;
  /** The social protocol: relay, a node of its chain, and the telephones of its people. */
  readonly social: string;
  /** A push service with browsers of its own. */
  readonly push: string;
  /** Takes files for IPFS, and shows them as a gateway does. */
  readonly pinning: string;
  /**
   * Rankings of tokens, with the version; tokens and pairs; the swap and bridge router, with its
   * version.
   */
  readonly geckoTerminal: string;
  readonly dexScreener: string;
  readonly router: string;
  /** The sandbox's own switchboard of faults. */
  readonly control: string;
  /** JSON-RPC of the local chains 137 and 8453; null where the world does without. */
  readonly chains: {
    readonly polygonRpc: string;
    readonly baseRpc: string;
    /** Chains 1, 56 and 42161; each starts when it is first asked. */
    readonly ethereumRpc: string | null;
    readonly bscRpc: string | null;
    readonly arbitrumRpc: string | null;
  } | null;
  /** What each venue has, by its id. */
  readonly venues: VenueUrls;
}
