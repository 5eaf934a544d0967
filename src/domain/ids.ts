/** Names of things. All are opaque text; the brand keeps one kind from being passed as another. */
declare const kind: unique symbol;
type Id<Name extends string> = string & { readonly [kind]: Name };

/** A person: "usr_" and 26 characters. */
export type UserId = Id<'UserId'>;
/** One intent to trade, made once: "int_" and 26 characters. */
export type IntentId = Id<'IntentId'>;
/** The venue's order id, as its README says. */
export type OrderId = Id<'OrderId'>;
/**
 * One attempt at an order, named by us before it leaves; some venues take that name for their own.
 */
export type AttemptId = Id<'AttemptId'>;
/** One market, by its venue's id. */
export type MarketId = Id<'MarketId'>;
/** One outcome token, by its venue's id. */
export type TokenId = Id<'TokenId'>;
/** The venue's trade id. */
export type TradeId = Id<'TradeId'>;
/** One decision of an agent and its receipt (L11): "dec_" and 26 characters. */
export type DecisionId = Id<'DecisionId'>;
/**
 * One transaction of an account on a chain, intended once and executed at most once: "txn_" and 26
 * characters.
 */
export type TransactionId = Id<'TransactionId'>;
/** One swap or bridge between a user's own wallets: "swp_" and 26 characters. */
export type SwapId = Id<'SwapId'>;
/** One launch of a token: "lnc_" and 26 characters. */
export type LaunchId = Id<'LaunchId'>;
/** One entry in the agent registry, or feedback left there: "reg_" and 26 characters. */
export type RegistryEntryId = Id<'RegistryEntryId'>;
/** A picture a user uploaded: "img_" and 26 characters. */
export type ImageId = Id<'ImageId'>;
/** One payment to a deposit address, as we keep it: "dep_" and 26 characters. */
export type DepositId = Id<'DepositId'>;
/** An account address on an EVM chain, 0x and 40 hex digits, EIP-55 checksummed. */
export type Address = Id<'Address'>;
/** An account address on Solana: base58 of its 32 bytes. */
export type SolanaAddress = Id<'SolanaAddress'>;

/**
 * A venue: the id of its row in the table of venues. The README says which real venue each neutral
 * name means.
 */
export type VenueId = Id<'VenueId'>;
/** One of the ways a venue trades in, such as its order book; unique within the venue. */
export type MechanismId = Id<'MechanismId'>;
/** Assets whose recurring markets are traded. */
export type Asset = 'BTC' | 'ETH' | 'SOL';
/**
 * Agents of the spec: four trade recurring markets, one farms long-running ones (`AGENT_PROFILES`).
 */
export type AgentId =
  | 'btc_5min'
  | 'btc_15min'
  | 'eth_15min'
  | 'sol_15min'
  | 'venue_a_farming'
  | 'venue_b_farming';

/** Every agent id, in the order the product lists them. */
export const AGENT_IDS: readonly AgentId[] = [
  'btc_5min',
  'eth_15min',
  'btc_15min',
  'sol_15min',
  'venue_a_farming',
  'venue_b_farming',
];

/** Brands text from a trusted place (a parser that checked it, or the store) as an id. */
export function asId<
  T extends
    | UserId
    | IntentId
    | OrderId
    | AttemptId
    | MarketId
    | TokenId
    | TradeId
    | DecisionId
    | TransactionId
    | DepositId
    | SwapId
    | LaunchId
    | RegistryEntryId
    | ImageId
    | VenueId
    | MechanismId
    | Address
    | SolanaAddress,
>(text: string): T {
  return text as T; // callers have validated the text; the brand only names it
}
