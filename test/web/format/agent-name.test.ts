import { expect, it } from 'vitest';
import { agentName, placedBy } from '../../../src/web/format/agent-name.ts';

it('an agent has one name on all pages, and one of another build its id as words', () => {
  expect([agentName('btc_5min'), agentName('venue_a_farming'), agentName('doge_1min')]).toEqual([
    'BTC 5-minute',
    'venue a farming',
    'doge 1min',
  ]);
});

it('an order without an agent was placed by hand', () => {
  expect([placedBy(null), placedBy('sol_15min')]).toEqual(['by hand', 'SOL 15-minute']);
});
