import { describe, expect, it } from 'vitest';
import { CHAIN } from '../../config/limits/chain.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createChainHealth, settledVenue } from '../../src/app/chain-health.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Venue } from '../../src/ports/venue.ts';

function aHealth() {
  const clock = createVirtualClock(0);
  const said: string[] = [];
  const say = (_: unknown, event: string) => void said.push(event);
  // of a log only these two are used
  const health = createChainHealth({ clock, log: { info: say, error: say } as unknown as Log });
  const fail = () => health.note('POLYGON', false);
  return { clock, said, health, fail };
}

async function aLostChain() {
  const { clock, fail, ...rest } = aHealth();
  for (let call = 1; call < CHAIN.silentCallsMinimum; call += 1) fail();
  await clock.advance(CHAIN.silentAfterMs);
  fail();
  return { clock, fail, ...rest };
}

describe('the health of chains', () => {
  it('names a chain whose node answered nothing for a while, by its name alone, and says so once', async () => {
    const { fail, health, said } = await aLostChain();
    for (let call = 0; call < 100; call += 1) fail();
    expect(health.problems()).toEqual([
      {
        chain: 'POLYGON',
        sentence: 'the node of Polygon has not answered since 1970-01-01T00:00:00.000Z',
      },
    ]);
    health.note('POLYGON', true);
    expect(health.problems()).toEqual([]);
    expect(said).toEqual(['chain.does_not_answer', 'chain.answers_again']);
  });

  it('says nothing of a node that is back within moments, however many calls failed', async () => {
    const { clock, fail, health, said } = aHealth();
    for (let call = 0; call < 100; call += 1) fail();
    await clock.advance(CHAIN.silentAfterMs - 1);
    fail();
    expect([health.problems(), said]).toEqual([[], []]);
  });

  it('says nothing of a single call that failed long ago', async () => {
    const { clock, fail, health } = aHealth();
    fail();
    await clock.advance(CHAIN.silentAfterMs * 100);
    expect(health.problems()).toEqual([]);
  });

  it.each([
    ['takes no purchase while the chain of its money is lost', 'usdc:safe', true],
    ['takes purchases while another chain is lost', 'usdc:solana', false],
  ] as const)('of a venue that %s', async (_, cashAccount, isRefused) => {
    const { health } = await aLostChain();
    // of a venue only these are looked at
    const venue = { id: 'venue_a', cashAccount } as unknown as Venue;
    const ask = () => settledVenue(venue, health).assertSettles?.();
    if (isRefused)
      expect(ask).toThrow(
        expect.objectContaining({
          code: 'chain_unavailable',
          retryable: true,
          message:
            'venue_a takes no purchases now: the node of Polygon has not answered since 1970-01-01T00:00:00.000Z',
        }),
      );
    else expect(ask).not.toThrow();
  });
});
