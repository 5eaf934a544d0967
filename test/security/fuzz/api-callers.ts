import type { Route } from '../../../src/http/route.ts';
import { AGENT_IDS } from '../../../src/domain/ids.ts';
import { INTERNAL_SECRET, type TestApi } from '../../http/api.ts';
import { aBook, MARKET_ID, TOKEN_ID } from '../../http/samples.ts';
import { loopback } from '../ask.ts';
import type { Callers } from './route-calls.ts';

/** Calls after which time passes and another user calls: budgets fill up and tokens stay young. */
const CALLS_A_USER = 90;
/** Rows that end the session they are called with. */
const ENDS_SESSION = '/api/auth/logout';

/** People who call an API on its virtual clock. */
export function apiCallers(api: TestApi): Callers {
  const known = new Set<string>([
    MARKET_ID,
    TOKEN_ID,
    ...AGENT_IDS,
    '+14155550123',
    'market',
    'limit',
    'some_trader',
  ]);
  let token: Promise<string> | null = null;
  let calls = 0;
  let people = 0;
  api.books.set(TOKEN_ID, aBook());

  const newUser = async (): Promise<string> => {
    await api.clock.advance(120_000);
    people += 1;
    const { token: fresh } = await api.signIn({
      phone: `+1415556${String(1_000 + people)}`,
      username: `fuzz_${String(people).replaceAll(/\d/g, (digit) => 'abcdefghkm'[Number(digit)] ?? 'a')}`,
    });
    return fresh;
  };
  return {
    port: api.server.port,
    async as({ auth, path }: Route) {
      calls += 1;
      const from = loopback(calls);
      if (auth === 'public') return { headers: {}, from };
      if (auth === 'internal') return { headers: { 'x-internal-secret': INTERNAL_SECRET }, from };
      if (token === null || calls % CALLS_A_USER === 0) token = newUser();
      const headers = { authorization: `Bearer ${await token}` };
      if (path.startsWith(ENDS_SESSION)) token = null;
      return { headers, from };
    },
    known: () => [...known],
    heard({ text }) {
      for (const [, id] of text.matchAll(
        /"(?:id|keyId|orderId|withdrawalId|challengeId|visit|refreshToken|address|nextCursor)":"([^"]{1,300})"/g,
      ))
        if (id !== undefined && known.size < 400) known.add(id);
    },
    facts: () => api.store.readJournal(0, 1_000_000).length,
    keepsTries: ({ path }) => /auth|keys|export|withdraw|transfer/.test(path),
  };
}
