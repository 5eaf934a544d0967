import { PUSH } from '../../../config/limits/notification.ts';

/**
 * Which push services are called. Users name the endpoint, so nothing else in the world may be
 * reached through it.
 */
export interface EndpointRules {
  /** Host names; "*.name" means every name below it. */
  readonly hosts: readonly string[];
  /**
   * Origin of the one push service that is called without encryption, a sandbox's on this machine;
   * null without one. No other port of the machine is reached.
   */
  readonly sandboxOrigin: string | null;
}

/** The address of an endpoint that may be called; else the sentence that says why not. */
export function readEndpoint(
  endpoint: string,
  { hosts, sandboxOrigin }: EndpointRules,
): URL | string {
  if (endpoint.length > PUSH.endpointMaximumChars)
    return `must have at most ${PUSH.endpointMaximumChars} characters`;
  // Parsers differ about these: an address means one thing or nothing.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(endpoint) || !URL.canParse(endpoint))
    return 'must be an address';
  const url = new URL(endpoint);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return 'must have no user, password or fragment';
  if (url.origin === sandboxOrigin) return url;
  if (url.protocol !== 'https:')
    return sandboxOrigin === null
      ? 'must begin with https://'
      : `must begin with https://, or with ${sandboxOrigin}/ as it is since the last start`;
  // A port that is the protocol's own is left out by the parser.
  if (url.port !== '') return 'must have no port';
  if (!hosts.some((allowed) => isHost(url.hostname, allowed)))
    return `${url.hostname.slice(0, 100)} is no push service of a browser we know`;
  return url;
}

function isHost(hostname: string, allowed: string): boolean {
  return allowed.startsWith('*.')
    ? hostname.endsWith(allowed.slice(1)) && hostname.length > allowed.length - 1
    : hostname === allowed;
}
