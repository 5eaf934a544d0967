import { expect, it } from 'vitest';
import { agentName, placedBy } from '../../../src/web/format/agent-name.ts';

it('an agent has one name on all pages, and one of another build its id as words', () => {
  expect([agentName('btc_5min'), agentName('venue_a_farming'), agentName('doge_1min')]).toEqual([
    'BTC 5-minute',
    'Venue a farming',
    'Doge 1min',
  ]);
});

it('an order was placed by an agent, by an API key under its name, or by hand', () => {
  const keys = [{ keyId: 'key_1', name: 'desk' }];
  const placers = [
    { agent: null, keyId: null },
    { agent: 'sol_15min', keyId: null },
    { agent: null, keyId: 'key_1' },
    { agent: null, keyId: 'key_deleted' },
  ];
  const order = { isRedemption: false, clientOrderId: null };
  expect(placers.map((origin) => placedBy({ ...order, origin }, keys))).toEqual([
    'by hand',
    'SOL 15-minute',
    'by desk',
    'by an API key',
  ]);
});

it('a payout is automatic unless its person or a key of theirs asked for it', () => {
  const payout = { origin: { agent: null, keyId: null }, isRedemption: true, clientOrderId: null };
  const byKey = { ...payout, origin: { agent: null, keyId: 'key_1' } };
  expect(placedBy(payout, [])).toBe('automatic');
  expect(placedBy({ ...payout, clientOrderId: 'claim-1' }, [])).toBe('by hand');
  expect(placedBy(byKey, [{ keyId: 'key_1', name: 'desk' }])).toBe('by desk');
});
