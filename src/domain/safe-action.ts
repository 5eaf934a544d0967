import type { ActionId, Address, MarketId, UserId } from './ids.ts';
import type { UsdcMicros } from './units.ts';

/**
 * What an action of a Safe is for: its proof is measured by it.
 * `deploy` and `allowances` make the Safe ready, `withdraw` sends dollars to the owner, `redeem` turns a resolved market's
 * shares into collateral, `transfer` brings dollars of the owner's wallet into the Safe as collateral, `wrap` turns plain
 * dollars that lie in the Safe into collateral.
 */
export type SafeActionPurpose =
  | { readonly kind: 'deploy' }
  /** `set` names what is allowed to whom. */
  | { readonly kind: 'allowances'; readonly set: string }
  /** `token` is what the owner gets: a plain dollar, or the collateral itself. */
  | {
      readonly kind: 'withdraw';
      readonly to: Address;
      readonly usdc: UsdcMicros;
      readonly token: Address;
    }
  | { readonly kind: 'redeem'; readonly marketId: MarketId }
  | { readonly kind: 'transfer' | 'wrap'; readonly token: Address; readonly amount: UsdcMicros };

/**
 * Life of an action. `unknown`: its bytes may be with the relayer; `mined`: in a block, not yet deep enough. Out of both
 * leads only the chain's word (L2). `done` and `failed` are proven and final.
 */
export type SafeActionState =
  | 'intended'
  | 'signed'
  | 'submitted'
  | 'unknown'
  | 'mined'
  | 'done'
  | 'failed';

/** A call to a contract as records hold it: wei as decimal text. */
export interface StoredCall {
  readonly to: Address;
  readonly data: `0x${string}`;
  readonly valueWei: string;
}

/** A signed action as records hold it: everything the exact bytes are made of, however often they leave (L1). */
export type StoredSafeSignature =
  | {
      readonly kind: 'create';
      readonly owner: Address;
      readonly safe: Address;
      readonly signature: `0x${string}`;
    }
  | {
      readonly kind: 'execute';
      readonly owner: Address;
      readonly safe: Address;
      readonly nonce: number;
      readonly call: StoredCall;
      readonly operation: 0 | 1;
      readonly safeTxHash: `0x${string}`;
      readonly signature: `0x${string}`;
      readonly note: string;
    };

/** The durable record of one action of a Safe. */
export interface SafeActionRecord {
  readonly actionId: ActionId;
  readonly userId: UserId;
  /** Its place in the Safe's queue: those before it have lower numbers. */
  readonly place: number;
  readonly safe: Address;
  readonly purpose: SafeActionPurpose;
  /** None for a deployment. */
  readonly calls: readonly StoredCall[];
  readonly state: SafeActionState;
  /** Why it waits or ended. */
  readonly reason: string | null;
  /** Null until it is the first of its Safe's queue. */
  readonly signed: StoredSafeSignature | null;
  /** A call without effect under the same nonce, signed when the action is given up: the chain executes one of the two. */
  readonly cancel: StoredSafeSignature | null;
  /** Newest block when it was signed: it cannot be in an earlier one. */
  readonly sinceBlock: number;
  /** The relayer's name of the newest copy it took; null while it has none. */
  readonly relayId: string | null;
  readonly sends: number;
  readonly lastSentAtMs: number | null;
  /** Copies the relayer refused or failed to execute. */
  readonly refusals: number;
  /** When an action that is not executed is given up, epoch ms; null before it is signed. */
  readonly giveUpAtMs: number | null;
  readonly transactionHash: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** True once the action can change no more. */
export function isActionOver(state: SafeActionState): boolean {
  return state === 'done' || state === 'failed';
}
