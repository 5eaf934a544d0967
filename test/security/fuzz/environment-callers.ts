import { AGENT_IDS } from '../../../src/domain/ids.ts';
import type { Route } from '../../../src/http/route.ts';
import { loopback } from '../ask.ts';
import type { Citizen, Environment } from '../load/environment.ts';
import type { Callers } from './route-calls.ts';

/** Settles people in a daemon and has them call in turn: each has a budget of their own. */
export async function environmentCallers(
  environment: Environment,
  internalSecret: string,
  people: number,
): Promise<Callers & { readonly citizens: readonly Citizen[] }> {
  const citizens: Citizen[] = [];
  for (let number = 0; number < people; number += 1)
    citizens.push(await environment.settle(number));
  const known = new Set<string>([...AGENT_IDS, 'market', 'limit', '+12025560001']);
  let calls = 0;
  return {
    citizens,
    port: environment.port,
    async as({ auth, path }: Route) {
      calls += 1;
      const from = loopback(calls % 60_000);
      if (auth === 'public') return { headers: {}, from };
      if (auth === 'internal') return { headers: { 'x-internal-secret': internalSecret }, from };
      // who signs out cannot come back, so of these rows the gate is all that is fuzzed
      const citizen = path.startsWith('/api/auth/logout')
        ? undefined
        : citizens[calls % citizens.length];
      return {
        headers: citizen === undefined ? {} : { authorization: `Bearer ${citizen.token}` },
        from,
      };
    },
    known: () => [...known],
    heard({ text }) {
      for (const [, id] of text.matchAll(
        /"(?:id|keyId|orderId|marketId|tokenId|withdrawalId|challengeId|visit|address|nextCursor)":"([^"]{1,300})"/g,
      ))
        if (id !== undefined && known.size < 400) known.add(id);
    },
    facts: () => null,
    keepsTries: () => true,
  };
}
