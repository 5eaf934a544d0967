import type { Clock } from '../ports/clock.ts';
import type { MarketTime } from '../ports/market-time.ts';
import type { DataStreamsAccount } from './feeds/data-streams/data-streams-auth.ts';
import type { OpenIdClient } from './identity/open-id/open-id.ts';
import type { BuilderSecret } from './venues/venue-a/relayer/relayer-auth.ts';
import type { WorldRules } from './world-model.ts';
import type { WorldPrices } from './feeds/world-prices.ts';

/** Ports of the world's servers; 0 or absent takes a free one. */
export type WorldPorts = Readonly<
  Partial<
    Record<
      | 'clobRest'
      | 'clobSockets'
      | 'gamma'
      | 'dataApi'
      | 'site'
      | 'rtds'
      | 'inference'
      | 'dataStreams'
      | 'exchange'
      | 'faucet'
      | 'control'
      | 'solanaRpc'
      | 'openId'
      | 'social'
      | 'languageModel'
      | 'push'
      | 'polygonRpc'
      | 'baseRpc'
      | 'relayer'
      | 'bridge',
      number
    >
  >
>;

/** How a world is made. Everything but the clock is plain JSON. */
export interface WorldSettings extends WorldRules {
  /** Folder in which the world outlives a stop; null keeps nothing. */
  readonly dataDir: string | null;
  readonly credentials: {
    readonly inferenceKey: string;
    readonly dataStreams: DataStreamsAccount;
    readonly relayer: { readonly key: string } & BuilderSecret;
    readonly openId?: OpenIdClient;
    readonly languageModelKey?: string;
  };
  /** False does without the local EVM chains and the relayer: a world that lives in its caller's process and moves no money on them. */
  readonly chains?: boolean;
  /** Where users' money is and their trades settle: in the model, which is the default, or on the chain. */
  readonly settlement?: 'model' | 'chain';
  /** The seeded process unless stated. */
  readonly prices?: WorldPrices;
  readonly ports?: WorldPorts;
}

/** A world in this process. */
export interface WorldOptions extends WorldSettings {
  /** The markets' time. */
  readonly clock: Clock;
  /** The chains' time, and that of callers: what a wallet signs lives a minute of its owner's, however fast the markets run. */
  readonly wallClock: Clock;
  /** How the two go together: as one, unless stated. */
  readonly marketTime?: MarketTime;
}

/** Addresses that only a world with chains has. */
export interface ChainUrls {
  /** JSON-RPC of the local chain 137, and of 8453. */
  readonly polygonRpc: string;
  readonly baseRpc: string;
  readonly relayer: string;
  readonly bridge: string;
}

/** Base addresses without trailing slashes. */
export interface WorldUrls {
  readonly clobRest: string;
  readonly clobMarketSocket: string;
  readonly clobUserSocket: string;
  readonly gamma: string;
  readonly dataApi: string;
  readonly site: string;
  readonly rtds: string;
  readonly inference: string;
  readonly dataStreamsRest: string;
  readonly dataStreamsSocket: string;
  readonly exchangeRest: string;
  readonly exchangeSocket: string;
  readonly faucet: string;
  /** A Solana node; the same address with ws:// takes subscriptions, `POST /faucet` there gives lamports and test USDC. */
  readonly solanaRpc: string;
  /** An OpenID provider; null where nobody is registered there. */
  readonly openId: string | null;
  /** An OpenAI-compatible language model, with its version; null where nobody has a key to it. */
  readonly languageModel: string | null;
  /** The social protocol: relay, a node of its chain, and the telephones of its people. */
  readonly social: string;
  /** A push service with browsers of its own. */
  readonly push: string;
  /** The sandbox's own switchboard of faults. */
  readonly control: string;
  readonly chains: ChainUrls | null;
}
