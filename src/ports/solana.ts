/** One account that holds a token. Amounts in the token's smallest unit. */
export interface SolanaTokenAccount {
  /** The account's own address, base58. */
  readonly account: string;
  readonly mint: string;
  readonly amount: bigint;
  readonly decimals: number;
}

/**
 * What became of handing a signed transaction to a node. `unknown`: it may be on its way; the same
 * bytes may go again, never others.
 */
export type SolanaSendOutcome =
  /** Taken, or known already. Its status is another question. */
  | { readonly kind: 'accepted' }
  /**
   * The node tried it out and the network would not take it. `isExpired`: its blockhash is too old,
   * or too new for this node.
   */
  | { readonly kind: 'refused'; readonly reason: string; readonly isExpired: boolean }
  | { readonly kind: 'unknown'; readonly cause: string };

/** The chain's word about a transaction. */
export type SolanaStatus =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'landed';
      readonly slot: number;
      readonly commitment: 'processed' | 'confirmed' | 'finalized';
      readonly failure: string | null;
    };

/**
 * Reads Solana and hands it signed transactions. Every call has a time-out inside the adapter;
 * reads are of what is confirmed. Errors of every read: `chain_unavailable` (retryable);
 * `invalid_request` for text that is no address.
 */
export interface Solana {
  /** Lamports of an account; 0 without one. */
  lamports(owner: string): Promise<bigint>;
  /** Accounts of both token programs, empty ones left out. */
  tokenAccounts(owner: string): Promise<readonly SolanaTokenAccount[]>;
  /** Decimals of a token; null where the address is no token's. */
  tokenDecimals(mint: string): Promise<number | null>;
  /** A blockhash to build on, and the height after which nothing built on it can land. */
  latestBlockhash(): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: number }>;
  /** The height of the newest block; `finalized`: of the newest that can never be taken back. */
  blockHeight(commitment?: 'confirmed' | 'finalized'): Promise<number>;
  /**
   * Hands over a transaction that is signed and stored already; `skipsTrial`: the node passes it on
   * without trying it out first.
   */
  send(
    transaction: Uint8Array,
    options?: { readonly skipsTrial: boolean },
  ): Promise<SolanaSendOutcome>;
  /** Looks through the whole history, so `absent` after the last valid height means never. */
  status(signature: string): Promise<SolanaStatus>;
  /**
   * Lamports the network took for a final transaction, whether it did anything or failed; null
   * where the node does not show it.
   */
  feePaid(signature: string): Promise<bigint | null>;
}

/** Proves what transactions have moved. Errors: as those of `Solana`. */
export interface SolanaChanges {
  /**
   * What a final transaction brought a wallet of a token, or with null of SOL, its own fee not
   * counted; 0 where it failed, null while it is not final.
   */
  change(signature: string, owner: string, mint: string | null): Promise<bigint | null>;
  /**
   * Lamports that a final transaction took of a wallet by the wallet's balance before and after:
   * its fee where the wallet paid that, and rents; below 0 where it brought some. Null while it is
   * not final.
   */
  taken(signature: string, owner: string): Promise<bigint | null>;
}

/** An account as it is now; a token's holdings are in its data. */
export interface SolanaAccount {
  readonly lamports: bigint;
  /** The program it belongs to. */
  readonly program: string;
  readonly data: Uint8Array;
}

/** What a transaction would do, were it executed now. */
interface SolanaTrial {
  /** Why it would fail, as the node writes it; null where it would not. */
  readonly failure: string | null;
  /**
   * The accounts that were asked for as it would leave them, null for one that is not there; none
   * where it would fail.
   */
  readonly after: readonly (SolanaAccount | null)[];
}

/**
 * Looks at what a transaction would do, and at what it is made of. Errors: as those of `Solana`.
 */
export interface SolanaTrials {
  /** Null for an account that is not there. */
  accounts(addresses: readonly string[]): Promise<readonly (SolanaAccount | null)[]>;
  /** Tries a transaction with its own blockhash, signatures unchecked. */
  trial(transaction: Uint8Array, watched: readonly string[]): Promise<SolanaTrial>;
  /**
   * Reports whether final blocks let a transaction with this blockhash into the next one; false too
   * for one they do not know yet.
   */
  isAlive(blockhash: string): Promise<boolean>;
  /**
   * Lamports the network takes for a message, its priority included; null where its blockhash is
   * too old.
   */
  fee(message: Uint8Array): Promise<bigint | null>;
}

/** What a transaction that a third party has made may do to its user, at most. */
export interface LossBound {
  readonly wallet: string;
  /**
   * Who pays the network where that is not the wallet: signs too, and loses SOL alone, so much at
   * most.
   */
  readonly payer?: { readonly address: string; readonly lamports: bigint };
  /** The token that is given, and how much of it; null where it is SOL. */
  readonly mint: string | null;
  readonly amount: bigint;
  /** Fee, rents, and what else of SOL is agreed; what comes in counts against it. */
  readonly lamports: bigint;
  /** A token that must come in, and how much of it at least; absent where none needs to. */
  readonly least?: { readonly mint: string; readonly amount: bigint };
}

/** What a transaction would do to its user, held to a bound. */
type BoundedMessage =
  /** Its message, base64, without a blockhash. */
  | { readonly kind: 'bounded'; readonly base64: string }
  | { readonly kind: 'refused'; readonly fault: string };

/** Tries out transactions that third parties have made. Errors: as those of `Solana`. */
export interface SolanaOffered {
  /**
   * Holds a transaction that its user alone signs to a bound, tried out with a fresh blockhash, and
   * gives what there is to sign.
   */
  bounded(base64: string, bound: LossBound): Promise<BoundedMessage>;
  /** Lamports the network takes for the transaction; null for an invalid one. */
  fee(base64: string): Promise<bigint | null>;
}

/** What one final transaction changed of a token that a wallet holds, smallest units. */
export interface SolanaMovement {
  readonly signature: string;
  readonly units: bigint;
}

/**
 * What has moved a wallet's token. `unsettled`: something that did is not final yet; `too_long`:
 * more transactions than are read.
 */
export type SolanaHistory =
  | {
      readonly kind: 'read';
      /** Oldest first. */
      readonly movements: readonly SolanaMovement[];
      /** The newest transaction that was looked at; null without one. */
      readonly newest: string | null;
    }
  | { readonly kind: 'unsettled' }
  | { readonly kind: 'too_long' };

/** Reads what happened to a wallet's tokens. Errors: as those of `Solana`. */
export interface SolanaHistories {
  /** After a transaction, or from the beginning where it is null. */
  of(owner: string, mint: string, since: string | null): Promise<SolanaHistory>;
}

/** SOL that a final transaction brought a wallet whose owner did not sign it. */
export interface SolanaArrival {
  readonly signature: string;
  readonly lamports: bigint;
  /** True where it also changed what the wallet holds of some token. */
  readonly movesTokens: boolean;
}

/** What brought SOL to a wallet, as far as it is final. */
export interface SolanaArrivalList {
  /** Oldest first. */
  readonly arrivals: readonly SolanaArrival[];
  /** The newest final transaction that was looked at; null without one. */
  readonly newest: string | null;
  /** True where there are transactions that are not final yet. */
  readonly isUnsettled: boolean;
  /** False where there were more than are read: the oldest ones are left out. */
  readonly isWhole: boolean;
}

/** Reads what brought SOL to wallets. Errors: as those of `Solana`. */
export interface SolanaArrivals {
  /**
   * After a transaction, or from the beginning where it is null; those that `isKnown` are not
   * looked into.
   */
  since(
    owner: string,
    since: string | null,
    isKnown: (signature: string) => boolean,
  ): Promise<SolanaArrivalList>;
}

/** A token, or with a null mint the network's own coin, on its way from one account to another. */
export interface SolanaTransfer {
  readonly from: string;
  readonly to: string;
  readonly mint: string | null;
  readonly decimals: number;
  readonly units: bigint;
}

/** Makes messages, which are what is signed. Nothing is asked of the network. */
export interface SolanaMessages {
  /**
   * Reports whether a text is an address that has a private key: what is sent to another one
   * may be lost.
   */
  isWallet(text: string): boolean;
  /**
   * Returns the message of a transfer, base64, without a blockhash: `from` pays the fee, and the
   * rent of the recipient's token account where that is missing.
   */
  transfer(transfer: SolanaTransfer): string;
}

/** What a node says to one question: its result, or its error. Both are data of the node. */
export type SolanaAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly message: string;
      readonly data: unknown;
    };

/**
 * Hands a question to a node as it is. Errors: `chain_unavailable` (retryable), `rate_limited`
 * (retryable) when the node wants slower calls.
 */
export interface SolanaNode {
  ask(method: string, params: readonly unknown[]): Promise<SolanaAnswer>;
}

/** A token about to be made on the launch platform. */
export interface TokenLaunch {
  /** Pays, and is called the creator. */
  readonly user: string;
  readonly mint: string;
  readonly name: string;
  readonly symbol: string;
  /** Of the metadata. */
  readonly uri: string;
}

/** Makes messages of launches. Nothing is asked of the network. */
export interface LaunchMessages {
  /** Returns the address of the curve a token is sold on. */
  curveOf(mint: string): string;
  /**
   * Returns the message of a launch, base64: the user and the mint sign it. Without a blockhash it
   * is for the rail, which gives it one.
   */
  create(launch: TokenLaunch, blockhash?: string): string;
}

/** An entry about to be made in the agent registry. */
export interface AgentEntry {
  /** Pays, and owns it. */
  readonly user: string;
  readonly asset: string;
  readonly collection: string;
  /** Of the file that says what the agent is. */
  readonly uri: string;
}

/** Feedback about to be left there. */
export interface AgentFeedback {
  readonly user: string;
  readonly asset: string;
  readonly collection: string;
  /** With `valueDecimals` decimals, of 128 bits. */
  readonly value: bigint;
  readonly valueDecimals: number;
  /** From 0 to 100; null for none. */
  readonly score: number | null;
  readonly tag1: string;
  readonly tag2: string;
  readonly endpoint: string;
  /** Empty without a file. */
  readonly fileUri: string;
  /** Its bytes, whose SHA-256 goes with it; null without one. */
  readonly file: Uint8Array | null;
}

/** Makes messages for the agent registry, and reads its accounts. Asks the network nothing. */
export interface RegistryMessages {
  /** Where the registry says which collection is its own. */
  readonly rootAddress: string;
  /** Where it keeps what it knows of an entry. */
  agentAddress(asset: string): string;
  isAddress(text: string): boolean;
  /** The collection; null for an account that is no such thing. */
  readRoot(account: Pick<SolanaAccount, 'program' | 'data'>): string | null;
  readAgent(
    account: Pick<SolanaAccount, 'program' | 'data'>,
  ): { readonly collection: string; readonly owner: string } | null;
  /** Returns the message of an entry, base64: the user and the asset sign it. */
  register(entry: AgentEntry, blockhash?: string): string;
  /** Returns the message of feedback, base64: the user signs it. */
  feedback(said: AgentFeedback, blockhash?: string): string;
}
