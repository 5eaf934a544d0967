import { describe, expect, it } from 'vitest';
import {
  apartOf,
  leftoverNote,
  remaindersLine,
  soldNote,
  stateNote,
} from '../../../src/web/pages/portfolio/position-note.ts';

type Held = Parameters<typeof leftoverNote>[0];

const LEAST = '0.01 of a share';

function held(position: Partial<Held['position']>): Held {
  const whole = {
    shares: '0.0043',
    sellableShares: '0',
    provisionalShares: '0',
    reservedShares: '0',
    payoutPerShare: null,
    realizedPnl: '0',
    ...position,
  };
  // the notes are made of these fields alone
  return { venue: 'venue_a', account: 'usdc:safe', position: whole as Held['position'] };
}

describe('a position on a page', () => {
  it('says of a rest that no order sells why, until when, and what it pays', () => {
    expect(leftoverNote(held({}), LEAST)).toBe(
      'Cannot be sold: it is less than 0.01 of a share, the least venue a takes. It pays by itself when the market ends, $0.0043 if it wins.',
    );
  });

  it('is a remainder apart from open positions where no order sells it, all in one line', () => {
    const dust = held({ currentValueUsdc: '0.0043' });
    const unpriced = held({ currentValueUsdc: null });
    const whole = held({ shares: '5', sellableShares: '5' });
    expect(apartOf([dust, whole, unpriced])).toEqual({
      open: [whole],
      remainders: [dust, unpriced],
    });
    expect(remaindersLine([dust, dust, unpriced])).toBe(
      '3 remainders below what can be sold, worth $0.0086',
    );
    expect(remaindersLine([unpriced])).toBe('1 remainder below what can be sold');
  });

  it.each<[string, Partial<Held['position']>]>([
    ['can be sold', { shares: '5.0043', sellableShares: '5' }],
    ['still settles', { shares: '5', provisionalShares: '5' }],
    ['is set aside for a sale', { shares: '5', reservedShares: '5' }],
    ['has won', { payoutPerShare: '1' }],
    ['is sold whole', { shares: '0' }],
  ])('says nothing of what %s', (_, position) => {
    expect(leftoverNote(held(position), LEAST)).toBeNull();
  });

  it('says of one that won whether it is being paid out', () => {
    const note = (position: Partial<Held['position']>) => stateNote(held(position), []);
    expect([
      note({ state: 'resolved', isReedemable: true }),
      note({ state: 'redeeming', isReedemable: true }),
      note({ state: 'resolved', isReedemable: false }),
    ]).toEqual(['won, waits to be paid out', 'won, being paid out', 'ended']);
  });

  it('says of one whose market was voided what a share pays', () => {
    const note = (state: Held['position']['state']) =>
      stateNote(held({ state, isReedemable: true, payoutPerShare: '0.5' }), []);
    expect([note('resolved'), note('redeeming')]).toEqual([
      'pays 50¢ a share, waits to be paid out',
      'pays 50¢ a share, being paid out',
    ]);
  });

  it('says what its sales have brought so far', () => {
    expect([
      soldNote(held({ realizedPnl: '0.25' })),
      soldNote(held({ realizedPnl: '-0.25' })),
      soldNote(held({})),
    ]).toEqual(['+$0.25 from what was sold', '−$0.25 from what was sold', null]);
  });

  it('says what of it is offered at which price, instead of that all of it closes', () => {
    const offer = {
      tokenId: '7',
      action: 'sell',
      price: '0.6',
      requestedShares: '25',
      filledShares: '5',
      reversedShares: '0',
    } as const;
    const closing = held({ tokenId: '7', state: 'closing' });
    const others = [
      { ...offer, tokenId: '8' },
      { ...offer, action: 'buy' },
    ] as const;
    expect(stateNote(closing, [offer, ...others])).toBe('20.00 offered at 60¢');
    expect(stateNote(closing, others)).toBe('being sold');
    expect(stateNote(held({ tokenId: '7', state: 'open' }), [offer])).toBeNull();
  });
});
