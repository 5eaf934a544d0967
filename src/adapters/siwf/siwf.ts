import { hashMessage, recoverAddress } from 'viem';
import { LOGIN_ATTEMPTS } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { Hex } from '../../ports/evm.ts';
import type { SocialLogin, SocialRegistry, SocialTerms } from '../../ports/social.ts';
import { parseSiwfMessage, type SiwfMessage } from './message.ts';

/** The chain the protocol's identities live on: OP Mainnet (FIP-11; identity.md section 4). */
export const SIWF_CHAIN_ID = 10;
/** What people are shown that they sign: today's words and the older ones. */
const STATEMENTS: ReadonlySet<string> = new Set(['Farcaster Auth', 'Farcaster Connect']);
const FID = /^farcaster:\/\/fid\/([1-9]\d{0,15})$/;

/**
 * Checks sign-ins by the social protocol (FIP-11) from message and signature alone: the relay's
 * word for who this is counts for nothing. First what costs nothing, then the signature, then the
 * registries on the chain.
 */
export function createSiwf(registry: SocialRegistry): SocialLogin {
  return {
    async verify({ message: text, signature }, terms) {
      if (
        text.length > LOGIN_ATTEMPTS.messageMaximumChars ||
        signature.length > LOGIN_ATTEMPTS.signatureMaximumChars
      )
        throw refused('it is too long');
      const message = parseSiwfMessage(text);
      if (message === null) throw refused('it is not a sign-in message');
      const fault = faultOf(message, terms);
      if (fault !== null) throw refused(fault);
      const fid = fidOf(message);
      if (fid === null) throw refused('it does not name exactly one fid');
      if (!isHex(signature) || !(await isSigned(registry, message, { text, signature })))
        throw refused('its signature is not that of its address');
      if (!(await registry.speaksFor(fid, message.address)))
        throw refused('its address does not speak for the fid');
      return String(fid);
    },
  };
}

/** What is wrong with a message by the terms of the one who asked for it. */
function faultOf(message: SiwfMessage, terms: SocialTerms): string | null {
  const skewMs = LOGIN_ATTEMPTS.skewSeconds * 1_000;
  if (message.domain !== terms.domain) return 'it was signed for another domain';
  if (message.uri !== terms.uri) return 'it was signed for another page';
  if (message.nonce !== terms.nonce) return 'its nonce is not the one that was asked for';
  if (message.version !== '1') return 'its version is not 1';
  if (message.chainId !== SIWF_CHAIN_ID) return `its chain is not ${SIWF_CHAIN_ID}`;
  if (!STATEMENTS.has(message.statement)) return 'it is not a sign-in of this protocol';
  if (message.issuedAtMs > terms.nowMs + skewMs) return 'it was signed in the future';
  if (message.expiresAtMs !== null && message.expiresAtMs <= terms.nowMs) return 'it has expired';
  if (message.notBeforeMs !== null && message.notBeforeMs > terms.nowMs + skewMs)
    return 'it does not count yet';
  return null;
}

function fidOf({ resources }: SiwfMessage): bigint | null {
  const [fid, ...more] = resources.flatMap((resource) => FID.exec(resource)?.[1] ?? []);
  return fid === undefined || more.length > 0 ? null : BigInt(fid);
}

async function isSigned(
  registry: SocialRegistry,
  { address }: SiwfMessage,
  { text, signature }: { readonly text: string; readonly signature: Hex },
): Promise<boolean> {
  const digest = hashMessage(text);
  // 65 bytes are an account's own; whatever else there is, only a contract can tell
  if (signature.length === 132 && String(await recover(digest, signature)) === String(address))
    return true;
  return registry.hasSigned(address, digest, signature);
}

async function recover(digest: Hex, signature: Hex): Promise<string | null> {
  try {
    return await recoverAddress({ hash: digest, signature });
  } catch {
    // a point that is not on the curve: no key signed this
    return null;
  }
}

function isHex(text: string): text is Hex {
  return /^0x([0-9a-fA-F]{2})+$/.test(text);
}

function refused(why: string): AppError {
  return new AppError('sign_in_refused', `the message is not accepted: ${why}`);
}
