import type { Endpoints } from '../../config/profiles/profile.ts';

/** What is at the sandbox's addresses, in the order they are shown; names of addresses. */
const SHOWN: readonly (readonly [what: string, ...names: string[]])[] = [
  ['order book', 'clobRest', 'clobMarketSocket', 'clobUserSocket'],
  ['listings', 'gamma'],
  ['venue data', 'dataApi'],
  ['venue site', 'site'],
  ['venue prices', 'rtds'],
  ['relayer', 'relayer'],
  ['bridge', 'bridge'],
  ['faucet', 'faucet'],
  ['contracts', 'metadataUrl', 'metadataSocketUrl', 'tradeUrl'],
  ['proof', 'proofUrl', 'endowmentUrl'],
  ['their origin', 'contractExchangeUrl'],
  ['pools', 'poolRest', 'poolSocket'],
  ["pools' users", 'poolIdentityUrl', 'poolEndowmentUrl'],
  ['viewed', 'viewRest'],
  ['inference', 'inference'],
  ['oracle', 'dataStreamsRest', 'dataStreamsSocket'],
  ['exchange', 'exchangeRest', 'exchangeSocket'],
  ['chain 137', 'polygonRpc'],
  ['chain 8453', 'baseRpc'],
  ['chain 1', 'ethereumRpc'],
  ['chain 56', 'bscRpc'],
  ['chain 42161', 'arbitrumRpc'],
  ['Solana', 'solanaRpc'],
  ['tokens', 'geckoTerminal', 'dexScreener'],
  ['router', 'router'],
  ['pinning', 'pinning'],
  ['Google', 'openId'],
  ['social', 'social'],
  ['push', 'push'],
  ['model', 'assessor'],
];

/**
 * Returns a sandbox's addresses by name, those of its venues among them: no two have a name in
 * common. Those that a world does without are left out.
 */
export function sandboxAddresses({ venues, ...shared }: Endpoints): ReadonlyMap<string, string> {
  const all = [shared, ...Object.values(venues)].flatMap((urls) => Object.entries(urls));
  return new Map(all.flatMap(([name, url]) => (typeof url === 'string' ? [[name, url]] : [])));
}

/** Lines of a terminal: what is where. Addresses that a world does without are left out. */
export function sandboxAddressLines(endpoints: Endpoints): readonly string[] {
  const known = sandboxAddresses(endpoints);
  return SHOWN.flatMap(([what, ...names]) => {
    const urls = names.flatMap((name) => known.get(name) ?? []);
    return urls.length === 0 ? [] : [`${what.padEnd(13)} ${urls.join('  ')}`];
  });
}

/** How faults are armed, for a person at the terminal. */
export function faultsNote(control: string | null): string {
  return `are listed at ${control}/faults; POST {"name":"late-ack","times":1} there arms one, DELETE /faults/late-ack ends it`;
}
