import type { DeployContracts, EvmChainName } from '../chains/evm/deploy-chain.ts';
import type { SentTransaction } from '../chains/evm/sent-transaction.ts';
import type { SolanaChain } from '../chains/solana/chain.ts';
import type { SolanaFaucet } from '../chains/solana/faucet.ts';
import type { WorldChains } from '../chains/world-chains.ts';
import type { DurableRecord, ExchangeSnapshot } from '../engine/durable.ts';
import type { SharedModel } from '../shared-model.ts';
import type { WorldOptions } from '../world-settings.ts';

/** What a venue's engine keeps over a stop of the world. */
export interface VenueStore {
  /** What the last run left; null in a fresh folder. */
  readonly snapshot: ExchangeSnapshot | null;
  /**
   * Begins to write: `take` gives all of it whenever the log is folded. Called once, before
   * anything is appended.
   */
  begin(take: () => ExchangeSnapshot): void;
  /**
   * Hands records to the operating system before it returns, so they survive the death of the
   * process.
   */
  append(records: readonly DurableRecord[]): void;
}

export interface VenueParts {
  readonly options: WorldOptions;
  readonly shared: SharedModel;
  /** When the world was first made. */
  readonly foundedAtMs: number;
  /** Null where nothing is kept. */
  readonly store: VenueStore | null;
  /**
   * The local chains, the venue's contracts on them, once they are up; null where the world does
   * without.
   */
  readonly chains: Promise<WorldChains> | null;
  readonly solanaRpcUrl: string;
  /** The local Solana itself, for a venue that is at home there. */
  readonly solana: { readonly chain: SolanaChain; readonly faucet: SolanaFaucet };
}

/** A venue that runs. */
export interface OpenVenue<Urls> {
  /**
   * Base addresses of its servers, without trailing slashes; null for one that this world does
   * without.
   */
  readonly urls: Urls;
  /**
   * Called before a transaction of a caller's reaches the node of chain 8453: faults that change
   * what it meets there.
   */
  beforeTransaction?(transaction: SentTransaction): Promise<void>;
  close(): Promise<void>;
}

/** One venue of the sandbox: a row of the table. */
export interface SandboxVenue<
  Urls = Readonly<Record<string, string | null>>,
  Open extends OpenVenue<Urls> = OpenVenue<Urls>,
> {
  /**
   * What it has on the local chains; put there before they are handed to `open`, and again after
   * each start.
   */
  readonly contracts: Readonly<Partial<Record<EvmChainName, DeployContracts>>>;
  /** Starts its model and its servers. Errors: those of the chains. */
  open(parts: VenueParts): Promise<Open>;
}
