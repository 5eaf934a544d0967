import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/web/api/problem.ts';
import type { Estimate } from '../../../src/web/api/venues.ts';
import { type FilledIn, orderBlock } from '../../../src/web/pages/markets/order-block.ts';

const STANDING = { isLost: false, isTrusted: true, ended: null };

/** An estimate with what its order would be refused for. */
function anEstimate(code: string | null): Estimate {
  return { refusal: code === null ? null : { code, detail: `detail of ${code}` } } as Estimate;
}

/** A ticket that can be sent, but for what is given. */
function blockOf(part: Partial<FilledIn> = {}): string | null {
  return orderBlock({
    action: 'buy',
    orderType: 'market',
    amount: '5',
    price: '',
    typedFault: null,
    limits: { available: '100', held: '0', sellableShares: '0' },
    venue: 'venue a',
    isUnanswered: false,
    isWithVenue: false,
    standing: STANDING,
    estimate: anEstimate(null),
    estimateFault: null,
    ...part,
  });
}

const FENCED = new Problem({
  status: 409,
  code: 'market_fenced',
  title: 'Fenced',
  message: 'Press again then.',
});

describe('an order can be sent', () => {
  it('at the market by prices that are live, and at a limit by others too', () => {
    const isLost = { ...STANDING, isLost: true };
    const isLate = { ...STANDING, isTrusted: false };
    expect(blockOf({ standing: isLost })).toBe(
      'The connection is lost, so the price is not known. It comes back by itself.',
    );
    expect(blockOf({ standing: isLate })).toMatch(/ A limit order still goes\.$/);
    expect(blockOf({ standing: isLost, orderType: 'limit', price: '40' })).toBeNull();
  });

  it('once it is complete and its estimate has come', () => {
    expect(blockOf()).toBeNull();
    expect(blockOf({ amount: '' })).toBe('Say how much first.');
    expect(blockOf({ orderType: 'limit' })).toBe('Say the price first.');
    expect(blockOf({ typedFault: 'Write it in digits.' })).toBe('Write it in digits.');
    expect(blockOf({ amount: '101' })).toBe('You have $100.00 to spend at venue a.');
    expect(blockOf({ estimate: null })).toBe('One moment: the price is being asked for.');
  });

  it('not while the one before it waits for its venue, whose line says how it ends', () => {
    const words = 'Your order is with the venue; the line below says how it ends.';
    expect(blockOf({ isWithVenue: true })).toBe(words);
    expect(blockOf({ isWithVenue: true, estimate: anEstimate('market_fenced') })).toBe(words);
    expect(blockOf({ isWithVenue: true, orderType: 'limit', price: '40' })).toBe(words);
  });

  it('not while another of the person waits, and none is asked to be pressed again', () => {
    for (const part of [{ estimate: anEstimate('market_fenced') }, { estimateFault: FENCED }]) {
      expect(blockOf(part)).toMatch(/^An order of yours in this market is with the venue;/);
      expect(blockOf(part)).not.toContain('Press again');
    }
  });

  it('again where it was not answered, whatever the market says by then', () => {
    const isUnanswered = true;
    expect(blockOf({ isUnanswered, standing: { ...STANDING, isLost: true } })).toBeNull();
    expect(blockOf({ isUnanswered, estimateFault: FENCED })).toBeNull();
    expect(blockOf({ isUnanswered, amount: '101', estimate: null })).toBeNull();
  });
});
