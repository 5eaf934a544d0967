import type { RequestHead } from './guard.ts';

/**
 * What proxies and pages add: whoever asks through one is not of this machine, though the proxy or
 * the browser is.
 */
const THROUGH_ANOTHER = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'origin'] as const;

const LOOPBACK_PEER = /^(127\.|0000:0000:0000:0000:0000:(0000:0000:0001$|ffff:7f))/;
const LOOPBACK_HOST = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/;

/**
 * Reports whether a program of this machine asks for itself: its peer address is a loopback one (of
 * IPv6 all eight groups), no proxy and no page of a browser is between, and it asked for this
 * machine or for `host`, the configured one, by name. Any other name in `Host` may be one that a
 * page had pointed at 127.0.0.1 (DNS rebinding).
 */
export function isLocal(
  peer: string,
  { headers }: Pick<RequestHead, 'headers'>,
  host: string,
): boolean {
  if (!LOOPBACK_PEER.test(peer) || THROUGH_ANOTHER.some((name) => headers.has(name))) return false;
  const asked = hostName(headers.get('host') ?? '');
  return LOOPBACK_HOST.test(asked) || asked === host.toLowerCase();
}

/** The name or address of a `Host` header in small letters, without port and brackets. */
function hostName(field: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::\d*)?$/.exec(field) ?? [];
  return (bracketed ?? plain).toLowerCase();
}
