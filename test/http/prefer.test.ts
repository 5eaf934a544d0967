import { describe, expect, it } from 'vitest';
import { preferredWaitMs, waitMsOf } from '../../src/http/prefer.ts';
import type { Route } from '../../src/http/route.ts';
import { launchRoutes } from '../../src/http/routes/launches.ts';
import { registryRoutes } from '../../src/http/routes/registry.ts';
import { web3SendRoutes } from '../../src/http/routes/web3-send.ts';

const ROUTES: readonly Pick<Route, 'operationId' | 'input'>[] = [
  ...registryRoutes,
  ...launchRoutes,
  ...web3SendRoutes,
];

function waited(header: string | null, defaultMs = 0) {
  const said: (readonly [string, string])[] = [];
  const waitMs = waitMsOf(
    { header: () => header, answerWith: (name, value) => void said.push([name, value]) },
    defaultMs,
  );
  return { waitMs, said };
}

describe('a preference of how long to wait', () => {
  it('is echoed as it was applied, ten seconds at most', () => {
    expect(waited('wait=3')).toEqual({ waitMs: 3_000, said: [['Preference-Applied', 'wait=3']] });
    expect(waited('wait=60')).toEqual({
      waitMs: 10_000,
      said: [['Preference-Applied', 'wait=10']],
    });
  });

  it('that is absent or cannot be read leaves the default, of which nothing is said', () => {
    expect([waited(null), waited('respond-async', 5_000)]).toEqual([
      { waitMs: 0, said: [] },
      { waitMs: 5_000, said: [] },
    ]);
    expect(preferredWaitMs('handling=strict, wait=2')).toBe(2_000);
  });

  it.each(['registerAgent', 'leaveAgentFeedback', 'launchToken', 'createTransfer'])(
    'is taken by %s, which answers at once without one',
    (operationId) => {
      const route = ROUTES.find((each) => each.operationId === operationId);
      expect(route?.input.headers?.['Prefer']?.description).toContain('answered at once');
    },
  );
});
