/** Names of things. All are opaque text; the brand keeps one kind from being passed as another. */
declare const kind: unique symbol;
type Id<Name extends string> = string & { readonly [kind]: Name };

/** A person: "usr_" and 26 characters. */
export type UserId = Id<'UserId'>;
/** One intent to trade, made once: "int_" and 26 characters. */
export type IntentId = Id<'IntentId'>;
/** The venue's order id: on venue_a the EIP-712 digest, 0x and 64 hex digits (venue_a.md section 5.1). */
export type OrderId = Id<'OrderId'>;
/** One attempt at an order, named by us before it leaves: on venue_a the EIP-712 digest, which is the venue's own id as well. */
export type AttemptId = Id<'AttemptId'>;
/** One market: on venue_a the condition id, 0x and 64 hex digits. */
export type MarketId = Id<'MarketId'>;
/** One outcome token: on venue_a the ERC-1155 position id as decimal text. */
export type TokenId = Id<'TokenId'>;
/** The venue's trade id: on venue_a a UUID. */
export type TradeId = Id<'TradeId'>;
/** One decision of an agent and its receipt (L11): "dec_" and 26 characters. */
export type DecisionId = Id<'DecisionId'>;
/** One transaction of an account on a chain, intended once and executed at most once: "txn_" and 26 characters. */
export type TransactionId = Id<'TransactionId'>;
/** One payment to a deposit address, as we keep it: "dep_" and 26 characters. */
export type DepositId = Id<'DepositId'>;
/** An account address on an EVM chain, 0x and 40 hex digits, EIP-55 checksummed. */
export type Address = Id<'Address'>;
/** An account address on Solana: base58 of its 32 bytes. */
export type SolanaAddress = Id<'SolanaAddress'>;

/** The venues of the spec; the README says which real venue each neutral name stands for. */
export type VenueId = 'venue_a' | 'venue_b' | 'venue_c' | 'venue_d';
/** Assets whose recurring markets are traded. */
export type Asset = 'BTC' | 'ETH' | 'SOL';
/** Agents of the spec: four trade venue_a's recurring markets, one farms its long-running ones. venue_b's farming agent joins in a later issue. */
export type AgentId = 'btc_5min' | 'btc_15min' | 'eth_15min' | 'sol_15min' | 'venue_a_farming';

/** Every agent id, in the order the product lists them. */
export const AGENT_IDS: readonly AgentId[] = [
  'btc_5min',
  'eth_15min',
  'btc_15min',
  'sol_15min',
  'venue_a_farming',
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
    | Address
    | SolanaAddress,
>(text: string): T {
  return text as T; // callers have validated the text; the brand only names it
}
