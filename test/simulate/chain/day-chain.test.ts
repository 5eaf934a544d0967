import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { CONTRACTS } from '../../support/worlds/money-world.ts';
import { createDayChain } from './day-chain.ts';

const PAYEE = asId<Address>(`0x${'11'.repeat(20)}`);
const FRIEND = asId<Address>(`0x${'22'.repeat(20)}`);

/** A chain on which a user has paid, and the payee has passed a part on in the same block. */
function aDay() {
  const clock = createVirtualClock(0);
  const chain = createDayChain(clock, CONTRACTS);
  const paid = chain.mint(PAYEE, 5_000_000);
  const passedOn = chain.send((state) => {
    state.addToken(CONTRACTS.collateral, PAYEE, -2_000_000n);
    state.addToken(CONTRACTS.collateral, FRIEND, 2_000_000n);
  });
  const held = () => [PAYEE, FRIEND].map((name) => chain.state.tokenOf(CONTRACTS.collateral, name));
  return { clock, chain, paid, passedOn, held };
}

describe('the chain of a day', () => {
  it('takes blocks back with all that they held, and brings it again in its order', async () => {
    const { clock, chain, paid, held } = aDay();
    const gone: number[] = [];
    chain.onTakenBack((first, landed) => gone.push(first, landed.length));
    chain.takeBack({ depth: 2, losesPayments: false });
    await clock.advance(2_000);
    const before = await chain.head();
    expect(held()).toEqual([3_000_000n, 2_000_000n]);
    await clock.advance(2_000);
    expect([held(), await chain.receipt(paid), chain.allLogs(), gone]).toEqual([
      [0n, 0n],
      null,
      [],
      [11, 2],
    ]);
    await clock.advance(2_000);
    const after = await chain.head();
    expect([held(), after.blockNumber, after.hash === before.hash, chain.takenBack]).toEqual([
      [3_000_000n, 2_000_000n],
      before.blockNumber,
      false,
      2,
    ]);
    expect((await chain.receipt(paid))?.blockNumber).toBe(11);
  });

  it('loses payments with their block where it is to, and what was made of them', async () => {
    const { clock, chain, paid, passedOn, held } = aDay();
    const dropped: string[] = [];
    chain.onBlock((block) => dropped.push(...block.dropped));
    chain.takeBack({ depth: 1, losesPayments: true });
    await clock.advance(30_000);
    expect([held(), await chain.receipt(paid), dropped]).toEqual([[0n, 0n], null, [passedOn]]);
  });

  it('waits with it until there is something in the block', async () => {
    const { clock, chain, held } = aDay();
    await clock.advance(60_000);
    chain.takeBack({ depth: 1, losesPayments: true });
    await clock.advance(60_000);
    expect([chain.takenBack, held()]).toEqual([0, [3_000_000n, 2_000_000n]]);
    chain.mint(FRIEND, 1);
    await clock.advance(60_000);
    expect([chain.takenBack, held()]).toEqual([1, [3_000_000n, 2_000_000n]]);
  });
});
