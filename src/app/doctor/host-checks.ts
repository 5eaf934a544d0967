import { DOCTOR, OUTSIDE_TEST } from '../../../config/limits/doctor.ts';
import type { Endpoints, Profile } from '../../../config/profiles/profile.ts';
import { check, fail, ok, warn, type Check, type Finding } from './check.ts';
import type { HostProbe } from './host-probe.ts';

const DAY_MS = 86_400_000;
/** Addresses that stand for a service that the profile leaves off. */
type Off = Partial<Record<keyof Endpoints, boolean>>;

/**
 * Returns one address of each host that the daemon calls, without user, path and query. Those of
 * services that are off are left out; the sandbox's switchboard is no service.
 */
export function calledHosts({ venues, ...shared }: Endpoints, profile: Profile): readonly string[] {
  const { credentials, feeds, identity } = profile;
  const isLinked = feeds !== null;
  const off: Off = {
    control: true,
    openId: identity.google === null,
    socialRpc: identity.social === null,
    socialRelay: identity.social === null,
    assessor: credentials.assessor === null,
    dataStreamsRest: isLinked || credentials.dataStreams === null,
    dataStreamsSocket: isLinked || credentials.dataStreams === null,
    exchangeRest: isLinked,
    exchangeSocket: isLinked,
    inference: isLinked,
    pinning: credentials.pinningKey === null,
  };
  const more = {
    ...(typeof identity.codes === 'object' ? { telephone: identity.codes.baseUrl } : {}),
    ...(credentials.indexer === null
      ? {}
      : { indexer: credentials.indexer.url.replace('{network}', 'polygon-mainnet') }),
  };
  const addresses = [
    ...Object.entries(shared).filter(([name]) => off[name as keyof Endpoints] !== true),
    ...Object.values(venues).flatMap((addresses) => Object.entries(addresses)),
    ...Object.entries(more),
    ...(feeds?.urls ?? []).map((url) => ['feed', url] as const),
  ].flatMap(([, address]: readonly [string, unknown]) =>
    typeof address === 'string' && URL.canParse(address) ? [originOf(address)] : [],
  );
  return [...new Map(addresses.map((origin) => [new URL(origin).host, origin])).values()];
}

/** A socket's host and the same host over http are one. */
function originOf(address: string): string {
  const { protocol, host } = new URL(address);
  return `${protocol.replace(/^ws/, 'http')}//${host}`;
}

/** One row a host: its name is found, it takes a connection, its certificate lasts, it answers. */
export function hostChecks({
  hosts,
  probe,
  nowMs,
}: {
  readonly hosts: readonly string[];
  readonly probe: (address: string, timeoutMs: number) => Promise<HostProbe>;
  /** Wall time. */
  readonly nowMs: () => number;
}): readonly Check[] {
  return hosts.map((address) => {
    const { host } = new URL(address);
    const remedy = `see that this machine reaches ${host}: its resolver, its firewall, its way out`;
    return check(`host ${host}`, { level: 'fail', remedy }, async () =>
      findingOf(await probe(address, DOCTOR.checkMs), nowMs()),
    );
  });
}

function findingOf(
  { foundMs, connectedMs, answeredMs, status, certificateEndsAtMs }: HostProbe,
  nowMs: number,
): Finding {
  const name = foundMs === null ? '' : `found in ${Math.round(foundMs)} ms, `;
  const text = `${name}connected in ${Math.round(connectedMs)} ms, answered ${status} in ${Math.round(answeredMs)} ms`;
  if (certificateEndsAtMs === null) return ok(text);
  const days = Math.floor((certificateEndsAtMs - nowMs) / DAY_MS);
  if (days < 0)
    return fail(`${text}; its certificate ended ${-days} days ago`, 'ask those who run the host');
  return days < OUTSIDE_TEST.certificateDays
    ? warn(`${text}; its certificate ends in ${days} days`, 'ask those who run the host')
    : ok(`${text}; its certificate lasts ${days} days`);
}
