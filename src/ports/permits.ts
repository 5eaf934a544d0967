import type { Address, UserId } from '../domain/ids.ts';
import type { Hex } from './evm.ts';

/** What a permit lets whom do (EIP-2612). */
interface PermitTerms {
  readonly token: Address;
  readonly spender: Address;
  /** In the token's smallest unit. */
  readonly amount: bigint;
  /** Epoch seconds. */
  readonly deadlineSeconds: number;
}

/** A signed permit: 65 bytes r ‖ s ‖ v, good for one use. */
export interface SignedPermit extends PermitTerms {
  readonly owner: Address;
  readonly signature: Hex;
}

/** Signs permits by users' EVM keys, so that a token moves without its owner paying for it. */
export interface Permits {
  /**
   * Signs the owner's next permit of a token; null where the token takes none, or by a domain that
   * is not known here. Errors: `chain_unavailable`, `not_found` when the user's keys are not
   * loaded.
   */
  sign(userId: UserId, terms: PermitTerms): Promise<SignedPermit | null>;
}
