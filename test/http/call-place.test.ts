import { describe, expect, it } from 'vitest';
import { ADMISSION } from '../../config/limits/admission.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { placeOf, senderOf, type ArrivedCall } from '../../src/http/call-place.ts';
import { createRateLimits, type Budget } from '../../src/services/rate-limits.ts';
import type { Sessions } from '../../src/services/sign-in/sessions.ts';

const ADA = asId<UserId>('usr_ada');
const ADDRESS = '203.0.113.7';
const HEAD = {
  method: 'POST',
  path: '/mcp',
  query: '',
  repeated: null,
  contentLength: 2,
} as const;
const OF_USERS = { auth: 'user', budget: 'reads' } as const;
const PUBLIC = { auth: 'public', budget: 'reads' } as const;

const SESSIONS: Pick<Sessions, 'recognize'> = {
  recognize: (token) => (token === 'known' ? ADA : null),
};

function place(
  call: Partial<ArrivedCall>,
  spent: readonly (readonly [Budget, string])[] = [],
  authorization = '',
) {
  const rateLimits = createRateLimits(createVirtualClock(0));
  for (const [budget, who] of spent) while (rateLimits.spend(budget, who).allowed);
  return placeOf(SESSIONS, rateLimits, {
    head: { headers: new Map([['authorization', authorization]]) },
    row: OF_USERS,
    kind: 'read',
    address: ADDRESS,
    hasBudget: true,
    isAskedOnce: false,
    ...call,
  });
}

describe('where a call waits', () => {
  it.each<[string, Partial<ArrivedCall>, string, (readonly [Budget, string])[], string, string]>([
    ['a user', {}, 'Bearer known', [], 'users', ADA],
    ['a user’s order', { kind: 'trade' }, 'Bearer known', [], 'trades', ADA],
    ['no token', {}, '', [], 'strangers', ADDRESS],
    ['a token never seen', {}, 'Bearer forged', [], 'strangers', ADDRESS],
    ['no such path', { row: null }, '', [], 'strangers', ADDRESS],
    ['a user over budget', {}, 'Bearer known', [['reads', ADA]], 'suspects', ADA],
    ['a user whose address is over budget', {}, 'Bearer known', [['reads', ADDRESS]], 'users', ADA],
    ['no token, address over budget', {}, '', [['reads', ADDRESS]], 'suspects', ADDRESS],
    [
      'a new token, address over budget',
      {},
      'Bearer new',
      [['reads', ADDRESS]],
      'suspects',
      ADDRESS,
    ],
    [
      'a public call, address over budget',
      { row: PUBLIC },
      'Bearer known',
      [['reads', ADDRESS]],
      'suspects',
      ADA,
    ],
    [
      'a path with budgets of its own',
      { row: null, hasBudget: false },
      '',
      [['reads', ADDRESS]],
      'strangers',
      ADDRESS,
    ],
  ])('%s', (_what, call, authorization, spent, lane, share) => {
    expect(place(call, spent, authorization)).toEqual({
      lane,
      share,
      isExempt: false,
      isAskedOnce: false,
    });
  });

  it('is among those that will be refused for one probe of health too many, which is answered still', () => {
    const health = { kind: 'critical', row: { auth: 'public', budget: 'none' } } as const;
    expect([place(health), place(health, [['probes', ADDRESS]])]).toEqual([
      { lane: 'strangers', share: ADDRESS, isExempt: true, isAskedOnce: false },
      { lane: 'suspects', share: ADDRESS, isExempt: true, isAskedOnce: false },
    ]);
    expect(ADMISSION.probesPerMinute).toBeGreaterThan(60);
  });
});

describe('with whom a body is counted', () => {
  const sender = (
    authorization: string,
    row: ArrivedCall['row'],
    endpoint: Pick<Endpoint, 'recognize'> | null = null,
  ) =>
    senderOf(SESSIONS, {
      head: { ...HEAD, headers: new Map([['authorization', authorization]]) },
      row,
      endpoint,
      address: ADDRESS,
    });
  const STOPS = { auth: 'user', budget: 'stops' } as const;

  it('is the user where the token is known, stops apart, else all of the address', () => {
    expect([
      sender('Bearer known', OF_USERS),
      sender('Bearer known', STOPS),
      sender('Bearer forged', STOPS),
      sender('', PUBLIC),
    ]).toEqual([
      { of: 'users', share: ADA },
      { of: 'stops', share: ADA },
      { of: 'strangers', share: ADDRESS },
      { of: 'strangers', share: ADDRESS },
    ]);
  });

  it('is the user whom the endpoint of a path knows by its head', () => {
    const keys: Pick<Endpoint, 'recognize'> = {
      recognize: ({ headers }) => (headers.get('authorization') === 'Bearer pk_ada' ? ADA : null),
    };
    expect([
      sender('Bearer pk_ada', null, keys),
      sender('Bearer pk_other', null, keys),
      sender('Bearer pk_ada', null, {}),
    ]).toEqual([
      { of: 'users', share: ADA },
      { of: 'strangers', share: ADDRESS },
      { of: 'strangers', share: ADDRESS },
    ]);
  });
});
