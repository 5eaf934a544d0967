import { isIP } from 'node:net';
import { fullAddress } from './listener/node-response.ts';

/** Tells callers apart by where they are. */
export interface CallerAddresses {
  /**
   * Returns what a caller is counted by, of the peer's address (of IPv6 all eight groups) and its
   * `X-Forwarded-For`, which counts where the peer is a trusted proxy: the last address that no
   * such proxy has. Of IPv6 it is the /64 network, which is what one subscriber gets.
   */
  of(peer: string, forwardedFor: string | undefined): string;
  /** Reports whether a peer may hold as many connections as it likes: this machine, and proxies. */
  isUnbounded(peer: string): boolean;
}

const MAPPED_IPV4 = '0000:0000:0000:0000:0000:ffff:';
const LOOPBACK = /^(127\.|0000:0000:0000:0000:0000:(0000:0000:0001$|ffff:7f))/;

/** Creates it for the addresses of proxies that are trusted, as `isIP` takes them. */
export function createCallerAddresses(trustedProxies: readonly string[]): CallerAddresses {
  const trusted = new Set(trustedProxies.map(plain));
  return {
    of(peer, forwardedFor) {
      const from = plain(peer);
      if (forwardedFor === undefined || !trusted.has(from)) return counted(from);
      // each proxy puts whom it was called by at the end; what comes before a stranger is theirs
      for (const part of forwardedFor.split(',').reverse()) {
        const address = addressIn(part.trim());
        if (address === null) return counted(from);
        if (!trusted.has(address)) return counted(address);
      }
      return counted(from);
    },
    isUnbounded: (peer) => LOOPBACK.test(peer) || trusted.has(plain(peer)),
  };
}

/** An address in one spelling: of IPv6 all eight groups, of IPv4 within it the four numbers. */
function plain(address: string): string {
  const full = fullAddress(address).toLowerCase();
  if (!full.startsWith(MAPPED_IPV4)) return full;
  const [high = '', low = ''] = full.slice(MAPPED_IPV4.length).split(':');
  return [high.slice(0, 2), high.slice(2), low.slice(0, 2), low.slice(2)]
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}

/** An address of the header, with a port or in brackets too; null for anything else. */
function addressIn(text: string): string | null {
  const bare =
    /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(bare) === 0 ? null : plain(bare);
}

function counted(address: string): string {
  return address.includes(':') ? `${address.split(':').slice(0, 4).join(':')}::/64` : address;
}
