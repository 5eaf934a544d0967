import type { CashAccount } from './cash.ts';
import type { Address, LaunchId, MarketId, RegistryEntryId, SwapId, VenueId } from './ids.ts';
import type { JsonValue } from './json-value.ts';
import type { UsdcMicros } from './units.ts';

/**
 * What a transaction is for: its proof is measured by it. `owner` names the table of closings that
 * its end is found in, `kind` the row there, and `data` is read by that row.
 */
export type TransactionPurpose =
  | SafePurpose
  | SendPurpose
  | SwapPurpose
  | LaunchPurpose
  | RegistryPurpose
  | VenuePurpose;

/** Owner of a purpose, as records name it. */
export type PurposeOwner = TransactionPurpose['owner'];

/** Kind of a purpose: unique among all owners that are built in. */
export type PurposeKind = TransactionPurpose['kind'];

/** The purpose of a kind. */
export type PurposeOf<Kind extends PurposeKind> = Extract<
  TransactionPurpose,
  { readonly kind: Kind }
>;

interface Purpose<Owner extends string, Kind extends string, Data> {
  readonly owner: Owner;
  readonly kind: Kind;
  readonly data: Data;
}

/**
 * What a Safe does, or has done to it. `deploy` and `allowances` make it ready, `withdraw` sends
 * dollars to the owner, `redeem` turns a resolved market's shares into collateral, `transfer`
 * brings dollars of the owner's wallet into the Safe as collateral, `wrap` turns plain dollars that
 * lie in the Safe into collateral.
 */
export type SafePurpose =
  | Purpose<'safe', 'deploy', Readonly<Record<string, never>>>
  /** `set` names what is allowed to whom. */
  | Purpose<'safe', 'allowances', { readonly set: string }>
  /** `token` is what the owner gets: a plain dollar, or the collateral itself. */
  | Purpose<
      'safe',
      'withdraw',
      { readonly to: Address; readonly usdc: UsdcMicros; readonly token: Address }
    >
  | Purpose<'safe', 'redeem', { readonly marketId: MarketId }>
  | Purpose<'safe', 'transfer', DollarAmount>
  | Purpose<'safe', 'wrap', DollarAmount>;

interface DollarAmount {
  readonly token: Address;
  readonly amount: UsdcMicros;
}

/** A token on its way out of the owner's own wallet, to whomever they named. */
export type SendPurpose = Purpose<
  'send',
  'send',
  {
    /** Null for the chain's own coin. */
    readonly token: string | null;
    readonly symbol: string;
    readonly decimals: number;
    /** In the token's smallest unit, as decimal text. */
    readonly units: string;
    readonly to: string;
    /** What of it is held in the books; null where the token is no cash of theirs. */
    readonly usdc: UsdcMicros | null;
  }
>;

/**
 * One step of a swap or bridge between the owner's own wallets: the exact right to draw what is
 * sold, or the swap itself.
 */
type SwapPurpose =
  | Purpose<'swaps', 'swap_approval', { readonly swapId: SwapId }>
  | Purpose<'swaps', 'swap', { readonly swapId: SwapId }>;

/** The making of a token of one's own. */
type LaunchPurpose = Purpose<'launches', 'launch', { readonly launchId: LaunchId }>;

/** An entry in the agent registry, or feedback left there. */
type RegistryPurpose = Purpose<'registry', 'registry', { readonly entryId: RegistryEntryId }>;

/**
 * What a venue has a user's own account do at its contracts: a right that its orders need, or the
 * trade itself. It is for purchases or for sales: a stop holds back the former alone. `data` is the
 * venue's own, read by its folder alone.
 */
type VenuePurpose =
  | Purpose<
      'venue',
      'venue_call',
      {
        readonly venue: VenueId;
        readonly side: 'buy' | 'sell';
        /** Market time at which it is given up where nothing of it has left; absent: never. */
        readonly untilMs?: number;
        readonly data: JsonValue;
      }
    >
  /** Turns a resolved market's shares into what the account gets of `token`, its USDC. */
  | Purpose<
      'venue',
      'venue_redemption',
      {
        readonly venue: VenueId;
        readonly side: 'sell';
        readonly marketId: MarketId;
        readonly cashAccount: CashAccount;
        readonly token: Address;
      }
    >;

/** A purpose as logs of format 1 hold it: no owner, and the data beside the kind. */
export interface FlatPurpose {
  readonly kind: string;
  readonly owner?: never;
}

/** Whose each kind was when records named no owner. */
const OWNERS_OF_FLAT: Readonly<Record<string, PurposeOwner>> = {
  deploy: 'safe',
  allowances: 'safe',
  withdraw: 'safe',
  redeem: 'safe',
  transfer: 'safe',
  wrap: 'safe',
  send: 'send',
  swap_approval: 'swaps',
  swap: 'swaps',
  launch: 'launches',
  registry: 'registry',
};

/**
 * Returns a purpose as it is read from a record, whichever version stored it. A kind that had no
 * owner keeps none: whoever looks for its closing finds nothing.
 */
export function purposeFrom(stored: TransactionPurpose | FlatPurpose): TransactionPurpose {
  if (stored.owner !== undefined) return stored;
  const { kind, ...data } = stored;
  const owner = Object.hasOwn(OWNERS_OF_FLAT, kind) ? OWNERS_OF_FLAT[kind] : '';
  // Format 1 stored for each of these kinds the data of that kind; others have no closing.
  return { owner, kind, data } as TransactionPurpose;
}
