import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { STOP_SWEEPS, type StopRecord } from '../../../src/services/books/tables.ts';
import { stopKey, writeStop, type StopScope } from '../../../src/services/orders/stop-check.ts';
import { aUserId, T0 } from '../../support/builders.ts';

const USER = aUserId(1);
const ALL: StopScope = { kind: 'all' };
const SELF: StopScope = { kind: 'self', userId: USER };

type Wanted = Partial<Omit<StopRecord, 'reason'>> & { readonly reason?: string | null };

/** Stops on a store, one minute after another. */
function stops(scope: StopScope = ALL) {
  const store = createMemoryStore();
  let minute = 0;
  const write = (wanted: Wanted = {}): Promise<StopRecord> =>
    store.write((tx) =>
      writeStop(tx, {
        scope,
        stopped: true,
        policy: 'keep',
        reason: null,
        atMs: T0 + 60_000 * minute++,
        ...wanted,
      }),
    );
  const facts = () => store.readJournal(0, 100).map(({ event }) => event);
  const sweptSince = () => store.get(STOP_SWEEPS, stopKey(scope))?.value.sinceMs ?? null;
  return { write, facts, sweptSince };
}

describe('L6: a stop', () => {
  it('that is set again keeps its moment, and is reported once', async () => {
    const { write, facts } = stops();
    const first = await write({ reason: 'alarm' });
    expect(await write()).toEqual(first);
    expect(await write({ reason: 'alarm' })).toEqual(first);
    expect(facts()).toEqual([{ type: 'all_trading.stopped', atMs: T0, reason: 'alarm' }]);
  });

  it('that is set again takes another reason, and nothing else', async () => {
    const { write, facts } = stops();
    const first = await write({ policy: 'cancel_only' });
    expect(first.reason).toBe('stopped by the user');
    expect(await write({ reason: 'alarm' })).toEqual({ ...first, reason: 'alarm' });
    expect(facts()).toHaveLength(1);
  });

  it('that kept open buys and is now to cancel them begins anew, with the reason it had', async () => {
    const { write, facts, sweptSince } = stops();
    await write({ reason: 'alarm' });
    expect(sweptSince()).toBeNull();
    const tightened = await write({ policy: 'cancel_only' });
    expect(tightened).toEqual({
      stopped: true,
      policy: 'cancel_only',
      reason: 'alarm',
      atMs: T0 + 60_000,
    });
    expect(sweptSince()).toBe(T0 + 60_000);
    expect(facts()).toHaveLength(2);
    expect(await write({ policy: 'cancel_only' })).toEqual(tightened);
    expect(await write({ policy: 'keep' })).toEqual(tightened);
    expect(sweptSince()).toBe(T0 + 60_000);
  });

  it('that is lifted cancels nothing more, and forgets its reason', async () => {
    const { write, facts, sweptSince } = stops();
    await write({ policy: 'cancel_only', reason: 'alarm' });
    await write({ stopped: false });
    expect(sweptSince()).toBeNull();
    expect((await write()).reason).toBe('stopped by the user');
    expect(facts().map(({ type }) => type)).toEqual([
      'all_trading.stopped',
      'all_trading.resumed',
      'all_trading.stopped',
    ]);
  });

  it('that was never set is not lifted: nothing is reported', async () => {
    const { write, facts } = stops();
    expect(await write({ stopped: false, policy: 'cancel_only' })).toMatchObject({
      stopped: false,
    });
    expect(facts()).toEqual([]);
  });

  it('that is lifted again stays as it was lifted first', async () => {
    const { write, facts } = stops();
    await write();
    const lifted = await write({ stopped: false, reason: 'over' });
    expect(await write({ stopped: false, reason: 'still over' })).toEqual(lifted);
    expect(facts()).toHaveLength(2);
  });

  it('of a user says who stopped them', async () => {
    const own = stops(SELF);
    await own.write();
    expect(own.facts()).toMatchObject([{ type: 'trading.stopped', userId: USER, by: 'user' }]);
    const operators = stops({ kind: 'user', userId: USER });
    await operators.write();
    expect(operators.facts()).toMatchObject([{ userId: USER, by: 'operator' }]);
  });
});
