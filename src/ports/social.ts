import type { Address } from '../domain/ids.ts';
import type { Hex } from './evm.ts';

/** A message (EIP-4361) and its signature, as they came in. */
export interface SignedMessage {
  readonly message: string;
  readonly signature: string;
}

/** What a message must say to be meant for us. */
export interface SocialTerms {
  readonly domain: string;
  readonly uri: string;
  readonly nonce: string;
  readonly nowMs: number;
}

/** Sign-in by the social protocol's signed message (FIP-11; identity.md section 4). */
export interface SocialLogin {
  /**
   * Checks message, signature and the signer's hold on the identity; gives the identity's number
   * (fid) in decimal. Errors: `sign_in_refused`, `sign_in_unavailable` when the registries do not
   * answer.
   */
  verify(signed: SignedMessage, terms: SocialTerms): Promise<string>;
}

/** A request to sign on a user's phone. */
interface SocialChannel {
  /** A secret: who has it reads what was signed. */
  readonly token: string;
  /** What opens the request on a phone: behind a link, or in a QR code. */
  readonly link: string;
}

/**
 * Brings a message to a user's phone and the signature back. What it says of the signer is not
 * used: `SocialLogin` checks that.
 */
export interface SocialRelay {
  /** Errors: `sign_in_unavailable`. */
  open(terms: Omit<SocialTerms, 'nowMs'>): Promise<SocialChannel>;
  /**
   * What was signed; null until then. Errors: `code_expired` where the relay knows the
   * channel no more, `sign_in_unavailable`.
   */
  signed(token: string): Promise<SignedMessage | null>;
}

/** The protocol's registries on its chain. Errors of every call: `sign_in_unavailable`. */
export interface SocialRegistry {
  /**
   * True when the address is the custody address of the identity, or one its owner registered to
   * sign in by.
   */
  speaksFor(fid: bigint, address: Address): Promise<boolean>;
  /**
   * True when there is a contract at the address that takes the signature for its own (EIP-1271).
   */
  hasSigned(address: Address, digest: Hex, signature: Hex): Promise<boolean>;
}
