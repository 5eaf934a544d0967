import { getAddress, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { SOCIAL_MODEL } from '../../../../config/limits/sandbox.ts';

/**
 * By which of its addresses an identity signs; `unregistered` is one that the registries do not
 * know of.
 */
export type SignerRole = 'custody' | 'authAddress' | 'unregistered';

/** What a person's phone is asked to sign. */
interface SignRequest {
  readonly domain: string;
  readonly uri: string;
  readonly nonce: string;
  /** Times as the message has them (RFC 3339). */
  readonly issuedAt: string;
  readonly expiresAt: string;
}

/**
 * Identities of the social protocol, and the phones that hold their keys. A seed makes the keys:
 * they have no owner.
 */
export interface SocialPeople {
  /** The identity whose custody address it is; 0 when it has none, as the registry says. */
  fidOf(address: string): number;
  /** True when the identity registered the address to sign in by. */
  isAuthAddress(fid: number, address: string): boolean;
  /** Signs a sign-in message (FIP-11). Throws a RangeError for identities that do not exist. */
  sign(
    fid: number,
    role: SignerRole,
    request: SignRequest,
  ): Promise<{ readonly message: string; readonly signature: string; readonly custody: string }>;
}

/** Makes the people of a seed. An identity is registered when its phone first signs. */
export function createSocialPeople(seed: number): SocialPeople {
  const custody = new Map<string, number>();
  const keys = new Map<string, number>();
  const accountOf = (fid: number, role: SignerRole) =>
    privateKeyToAccount(keccak256(toHex(`predictd sandbox social ${seed} ${fid} ${role}`)));
  return {
    fidOf: (address) => custody.get(getAddress(address)) ?? 0,
    isAuthAddress: (fid, address) => keys.get(getAddress(address)) === fid,
    async sign(fid, role, request) {
      if (!Number.isInteger(fid) || fid < 1 || fid > SOCIAL_MODEL.fidMaximum)
        throw new RangeError(`fids here are 1 to ${SOCIAL_MODEL.fidMaximum}`);
      const owner = accountOf(fid, 'custody');
      const signer = accountOf(fid, role);
      custody.set(owner.address, fid);
      if (role === 'authAddress') keys.set(signer.address, fid);
      const message = siwfMessage(fid, signer.address, request);
      return { message, signature: await signer.signMessage({ message }), custody: owner.address };
    },
  };
}

/** Writes a message in the protocol's words (FIP-11, EIP-4361). */
function siwfMessage(
  fid: number,
  address: string,
  { domain, uri, nonce, issuedAt, expiresAt }: SignRequest,
): string {
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    'Farcaster Auth',
    '',
    `URI: ${uri}`,
    'Version: 1',
    'Chain ID: 10',
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    `Expiration Time: ${expiresAt}`,
    'Resources:',
    `- farcaster://fid/${fid}`,
  ].join('\n');
}
