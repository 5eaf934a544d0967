import { expect, it } from 'vitest';
import {
  isTrading,
  modeOf,
  roundProfile,
  stopPolicyOf,
  type AgentRecord,
} from '../../src/domain/agent.ts';

it.each<[Pick<AgentRecord, 'enabled' | 'mode'>, AgentRecord['mode'], boolean]>([
  [{ enabled: true }, 'live', true],
  [{ enabled: true, mode: 'live' }, 'live', true],
  [{ enabled: true, mode: 'paper' }, 'paper', false],
  [{ enabled: false, mode: 'live' }, 'live', false],
])(
  'an agent trades with real money where it is enabled, unless on paper: %j',
  (record, mode, is) => {
    expect([modeOf(record), isTrading(record)]).toEqual([mode, is]);
  },
);

it('a stop cancels orders and keeps positions unless the user chose otherwise', () => {
  expect([stopPolicyOf({}), stopPolicyOf({ onStop: 'close' })]).toEqual(['cancel_only', 'close']);
});

it('only agents that trade rounds have a round', () => {
  expect(roundProfile('eth_15min')).toMatchObject({ asset: 'ETH', minutes: 15 });
  expect(() => roundProfile('venue_a_farming')).toThrow('trades rounds');
});
