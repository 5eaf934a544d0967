import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../../../src/adapters/clock/wall-clock.ts';
import { startChainGate } from '../../../../src/sandbox/chains/evm/chain-gate.ts';
import type { Listening } from '../../../../src/sandbox/wire/http-server.ts';
import type { PoolWorld } from './a-venue.ts';
import { poolQuestion, startAmmChain, type AmmChain } from './an-amm-chain.ts';

describe('trades with pools under faults', () => {
  let on: AmmChain;
  let world: PoolWorld;
  let gate: Listening;
  let user: ReturnType<AmmChain['through']>;
  beforeAll(async () => {
    on = await startAmmChain({ makers: false });
    world = await on.open();
    const { beforeTransaction } = world.open;
    gate = await startChainGate({
      node: on.node,
      faults: world.shared.faults,
      clock: createWallClock(),
      before: beforeTransaction === undefined ? [] : [beforeTransaction],
    });
    user = on.through(gate.url);
  });
  afterAll(async () => {
    await gate.close();
    await world.close();
    await on.close();
  });

  it('meet a pool that has moved against them since their quote, as buyers and as sellers', async () => {
    const { address, prices, positionIds } = await poolQuestion(world);
    const ana = await world.user('100');
    await user.allow(ana, address);
    world.shared.faults.arm('pool-moved', { times: 1, match: { address: ana.account } });
    const quoted = await on.quote(address, 'calcBuyAmount', 20_000_000n);
    const late = await user.trade(ana, address, 'buy', [20_000_000n, 0n, (quoted * 99n) / 100n]);
    expect(late.status).toBe('reverted');
    expect((await poolQuestion(world)).prices[0]).toBeCloseTo(prices[0] * 1.1, 2);
    // anew, at what it costs now
    const bought = await on.quote(address, 'calcBuyAmount', 20_000_000n);
    expect(bought).toBeLessThan((quoted * 95n) / 100n);
    await user.trade(ana, address, 'buy', [20_000_000n, 0n, bought]);
    expect(await on.shares(ana.account, positionIds[0])).toBe(bought);

    world.shared.faults.arm('pool-moved', { times: 1 });
    const needed = await on.quote(address, 'calcSellAmount', 10_000_000n);
    const sale = [10_000_000n, 0n, (needed * 101n) / 100n] as const;
    expect((await user.trade(ana, address, 'sell', sale)).status).toBe('reverted');
    expect(await on.dollars(ana.account)).toBe(80_000_000n);
  });

  it('find that the pool may take nothing any more, until they allow it again', async () => {
    const { address, positionIds } = await poolQuestion(world, 1);
    const ben = await world.user('100');
    await user.allow(ben, address);
    await user.trade(ben, address, 'buy', [20_000_000n, 1n, 0n]);
    world.shared.faults.arm('allowance-missing', { times: 1 });
    const buy = await user.trade(ben, address, 'buy', [20_000_000n, 1n, 0n]);
    expect(buy.status).toBe('reverted');
    const held = await on.shares(ben.account, positionIds[1]);
    const sale = await user.trade(ben, address, 'sell', [5_000_000n, 1n, held]);
    expect(sale.status).toBe('reverted');
    await user.allow(ben, address);
    expect((await user.trade(ben, address, 'buy', [20_000_000n, 1n, 0n])).status).toBe('success');
    expect((await user.trade(ben, address, 'sell', [5_000_000n, 1n, held])).status).toBe('success');
    expect(await on.dollars(ben.account)).toBe(65_000_000n);
  });
});
