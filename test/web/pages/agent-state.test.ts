import { describe, expect, it } from 'vitest';
import {
  cancelReport,
  stopReport,
  strategyWords,
} from '../../../src/web/pages/agents/agent-state.ts';

const STOPPED = {
  agent: 'btc_5min',
  wasEnabled: true,
  onStop: 'cancel_only',
  orders: { open: 1, handling: 'cancelled' },
  positions: { open: 2, handling: 'kept' },
} as const;

describe('the report of a stop of all', () => {
  it('counts what an agent had open with money', () => {
    expect(stopReport(STOPPED, 'live')).toBe('1 order cancelled, 2 positions kept');
  });

  it('says of an agent on paper that its orders and positions were there', () => {
    expect(stopReport(STOPPED, 'paper')).toBe(
      '1 order on paper cancelled, 2 positions on paper kept',
    );
  });

  it('counts the buys that were open at the stop, and no orders cancelled where it does not know', () => {
    expect([0, 1, 66].map(cancelReport)).toEqual([
      'No buy was open.',
      'The cancel of 1 open buy was requested, yours or an agent’s.',
      'The cancels of 66 open buys were requested, yours and those of agents.',
    ]);
    expect(stopReport({ ...STOPPED, orders: { open: 0, handling: 'cancelled' } }, 'live')).toBe(
      '2 positions kept',
    );
  });

  it('says of one that was off nothing more', () => {
    expect(stopReport({ ...STOPPED, wasEnabled: false }, 'live')).toBe('was off');
  });
});

describe('a strategy', () => {
  it('is called by its words, and one that is not known here by its id as words', () => {
    expect([strategyWords('up_down').name, strategyWords('high_probability').name]).toEqual([
      'Up/Down',
      'High probability',
    ]);
  });
});
