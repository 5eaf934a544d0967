import { constants, createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import { timeOfStamp, type CallerTime } from '../../../wire/caller-times.ts';
import type { Call } from '../../../wire/http-server.ts';

/** The keys of callers, by their ids. */
export interface ExchangeKeys {
  /** Registers a public key in PEM; null for what is no RSA key. */
  add(publicKeyPem: string): string | null;
  /**
   * Reports whether a call that says whose it is has been signed by that key, in time: RSA-PSS over
   * time, method and path without query (venue_b.md section 3.2).
   */
  isSigned(call: Call): boolean;
}

/** Creates the list. `times` are the clocks that callers may go by. */
export function createExchangeKeys(times: readonly CallerTime[]): ExchangeKeys {
  const keys = new Map<string, KeyObject>();
  return {
    add(publicKeyPem) {
      if (keys.size >= CONTRACT_VENUE.exchangeKeysMaximum) return null;
      const key = readKey(publicKeyPem);
      if (key === null) return null;
      const hex = createHash('sha256').update(publicKeyPem).digest('hex');
      const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
      keys.set(id, key);
      return id;
    },
    isSigned({ method, path, header }) {
      const key = keys.get(header('kalshi-access-key'));
      const timestamp = header('kalshi-access-timestamp');
      if (key === undefined || !/^\d{13}$/.test(timestamp)) return false;
      if (timeOfStamp(Number(timestamp), times, CONTRACT_VENUE.exchangeSkewMs) === null)
        return false;
      return verify(
        'sha256',
        Buffer.from(timestamp + method + path),
        {
          key,
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
        },
        Buffer.from(header('kalshi-access-signature'), 'base64'),
      );
    },
  };
}

function readKey(pem: string): KeyObject | null {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : null;
  } catch {
    return null;
  }
}
