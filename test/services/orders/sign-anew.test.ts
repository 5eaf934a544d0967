import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { AgentId } from '../../../src/domain/ids.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { Store } from '../../../src/ports/store.ts';
import { AGENT_MARKETS } from '../../../src/services/books/tables.ts';
import { anAgentsWorld, enableAgent } from '../../support/worlds/agents-world.ts';
import { aLimitBuy, aMarketBuy, aMarketId, aMarketSell } from '../../support/builders.ts';
import type { SubmitFault } from '../../support/fakes/fake-venue.ts';
import type { Life, World } from '../../support/worlds/trading-world.ts';
import {
  aFundedLife,
  aWorld,
  brokenLaws,
  during,
  ordersOf,
} from '../../support/worlds/trading-world.ts';

const MISVERSIONED = { kind: 'misversioned', reason: 'order_version_mismatch' } as const;
const shown = ({ state, reason, sends, intent, replacedBy }: OrderRecord) => ({
  state,
  reason,
  sends,
  replaces: intent.replaces,
  replacedBy,
});

/** A wish whose first submissions meet these faults, and what came of it. */
async function placed(
  faults: readonly SubmitFault[],
  request = aLimitBuy({ idempotencyKey: 'key-1' }),
) {
  const made = await aFundedLife();
  made.world.venue.submitFaults.push(...faults);
  const record = await during(made.world, made.life.orders.place(made.world.user, request));
  return { ...made, record };
}

const again = (world: World, life: Life) =>
  during(world, life.orders.place(world.user, aLimitBuy({ idempotencyKey: 'key-1' })));

describe('a wish the venue refuses for the version of its format', () => {
  it('L1: is signed anew once the first order is dead: another id, the same terms, and one order at the venue', async () => {
    const { world, store, record } = await placed([MISVERSIONED]);
    const [first, second] = ordersOf(store);
    if (first === undefined || second === undefined) throw new Error('there are two records');
    expect([shown(first), shown(second)]).toEqual([
      {
        state: 'rejected',
        reason: 'order_version_mismatch',
        sends: 1,
        replaces: undefined,
        replacedBy: second.intent.intentId,
      },
      {
        state: 'live',
        reason: null,
        sends: 1,
        replaces: first.intent.intentId,
        replacedBy: undefined,
      },
    ]);
    const { intentId, salt, createdAtMs, replaces, ...terms } = second.intent;
    expect([record.intent.intentId, { ...first.intent, intentId, salt, createdAtMs }]).toEqual([
      intentId,
      { ...terms, intentId, salt, createdAtMs },
    ]);
    expect([
      replaces === first.intent.intentId,
      first.signed?.orderId === second.signed?.orderId,
      [...world.venue.orders.keys()],
      brokenLaws(store, world.user),
    ]).toEqual([true, false, [second.signed?.orderId], []]);
  });

  it('L5: sets aside in one commit what the first gave back, so that the last cent may be spent and nothing more', async () => {
    const { world, life, store, record } = await placed(
      [MISVERSIONED],
      aLimitBuy({ amount: { unit: 'shares', micros: 200_000_000 } }),
    );
    expect([record.state, record.reserved.usdc, brokenLaws(store, world.user)]).toEqual([
      'live',
      life.portfolio.cash(world.user, 'usdc:safe').reserved,
      [],
    ]);
  });

  it('is given to the caller who asks again under the same key, and no third is made', async () => {
    const { world, life, store, record } = await placed([MISVERSIONED]);
    expect((await again(world, life)).intent.intentId).toBe(record.intent.intentId);
    expect(ordersOf(store)).toHaveLength(2);
  });

  it('is taken back under the id of the first order too: whoever wanted that gone must not be filled by the second', async () => {
    const { world, life, store } = await placed([MISVERSIONED]);
    const [first, second] = ordersOf(store);
    expect(
      await during(world, life.orders.cancel(world.user, first?.intent.intentId ?? asId('none'))),
    ).toMatchObject({ state: 'cancelled', intent: { intentId: second?.intent.intentId } });
    expect([world.venue.cancels, life.portfolio.cash(world.user, 'usdc:safe').reserved]).toEqual([
      [second?.signed?.orderId],
      0,
    ]);
  });

  it('is taken back when the wish comes while the second is being signed', async () => {
    const kept = createMemoryStore();
    const world = aWorld();
    let wish: Promise<unknown> | null = null;
    let isWished = false;
    const store: Store = {
      ...kept,
      write(change) {
        const written = kept.write(change);
        const [first] = ordersOf(kept);
        if (isWished || first?.state !== 'signed' || world.venue.bodies.size === 0) return written;
        isWished = true;
        wish = life.orders.cancel(world.user, first.intent.intentId);
        return written;
      },
    };
    const life = world.live(store);
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    world.venue.submitFaults.push(MISVERSIONED);
    await during(world, life.orders.place(world.user, aLimitBuy()));
    await world.clock.advance(1_000);
    await wish;
    expect(ordersOf(kept).map(({ state, cancelWanted }) => [state, cancelWanted])).toEqual([
      ['rejected', false],
      ['cancelled', true],
    ]);
  });

  it('is not signed a third time: the second refusal is the answer', async () => {
    const { world, life, store, record } = await placed([MISVERSIONED, MISVERSIONED]);
    expect([
      record.state,
      ordersOf(store).length,
      world.venue.orders.size,
      life.portfolio.cash(world.user, 'usdc:safe').reserved,
    ]).toEqual(['rejected', 2, 0, 0]);
    expect((await again(world, life)).intent.intentId).toBe(record.intent.intentId);
  });

  it('L2: is not signed anew while the first is in doubt: a refusal of the second copy says nothing of the first, whose bytes go again', async () => {
    const { world, store } = await placed([{ kind: 'refused-silently' }, MISVERSIONED]);
    await world.clock.advance(120_000);
    expect(ordersOf(store).map(shown)).toEqual([
      { state: 'live', reason: null, sends: 3, replaces: undefined, replacedBy: undefined },
    ]);
  });

  it('L6: is not signed anew after a stop', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ ...MISVERSIONED, ms: 500 });
    const placing = life.orders.place(world.user, aLimitBuy());
    await world.clock.advance(100);
    await life.orders.setStop({ kind: 'all' }, true, 'alarm', 'keep');
    const record = await during(world, placing);
    expect([record.state, ordersOf(store).length]).toEqual(['rejected', 1]);
  });

  it('L9: is asked about by its new id when the process dies between the signature and the answer', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push(MISVERSIONED, { kind: 'hangs' });
    void life.orders.place(world.user, aLimitBuy()).catch(() => undefined);
    await world.clock.advance(1_000);
    life.die();
    const next = world.live(store.powerCut());
    await next.orders.recover();
    await world.clock.advance(120_000);
    expect(ordersOf(next.store).map(({ state }) => state)).toEqual([
      'rejected',
      expect.stringMatching(/live|rejected/),
    ]);
    expect([world.venue.orders.size <= 1, brokenLaws(next.store, world.user)]).toEqual([true, []]);
    await next.orders.stop();
  });

  it('a sale is signed anew too', async () => {
    const { world, life } = await aFundedLife();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    world.venue.submitFaults.push(MISVERSIONED);
    expect((await during(world, life.orders.place(world.user, aMarketSell(5)))).state).toBe(
      'filled',
    );
  });

  it('L7: of an agent stays its one entry: the claim passes on, its receipt shows the new order, and nothing came to nothing', async () => {
    const { world, store, life } = await anAgentsWorld(1_000_000_000);
    await enableAgent(life, world.user);
    const agentId: AgentId = 'btc_5min';
    world.venue.submitFaults.push(MISVERSIONED);
    const record = await during(
      world,
      life.orders.place(
        world.user,
        aMarketBuy({
          origin: { kind: 'agent', agentId, decisionId: asId('dec_1'), purpose: 'entry' },
        }),
      ),
    );
    await world.clock.advance(10_000);
    expect(store.get(AGENT_MARKETS, [world.user, agentId, aMarketId(1)])?.value.intentId).toBe(
      record.intent.intentId,
    );
    await expect(
      during(
        world,
        life.orders.place(
          world.user,
          aMarketBuy({
            origin: { kind: 'agent', agentId, decisionId: asId('dec_2'), purpose: 'entry' },
          }),
        ),
      ),
    ).rejects.toMatchObject({ code: 'already_traded' });
    expect([
      life.orders.get(world.user, record.intent.intentId)?.state,
      brokenLaws(store, world.user),
    ]).toEqual(['filled', []]);
  });
});
