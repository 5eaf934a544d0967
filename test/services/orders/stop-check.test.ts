import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type DecisionId } from '../../../src/domain/ids.ts';
import { choicesOf, defaultSettings } from '../../../src/domain/settings.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { AGENT } from '../../../config/limits.ts';
import type { AgentRecord, UnwindRecord } from '../../../src/domain/agent.ts';
import { AGENTS, STOPS, UNWINDS } from '../../../src/services/books/tables.ts';
import {
  assertNotStopped,
  stopKey,
  stopOver,
  stopScopeOf,
  type StoppableOrder,
  type StopScope,
} from '../../../src/services/orders/stop-check.ts';
import { aUserId, T0 } from '../../support/builders.ts';

const [ada, bob] = [aUserId(1), aUserId(2)];
const AGENT_ID = 'btc_5min';
const bySelf: StoppableOrder = { userId: ada, origin: { kind: 'manual' }, side: 'buy' };
const byAgent: StoppableOrder = {
  ...bySelf,
  origin: {
    kind: 'agent',
    agentId: AGENT_ID,
    decisionId: asId<DecisionId>('dec_1'),
    purpose: 'entry',
  },
};

/** What holds an order of Ada back, by what is stored of stops and of her agent. */
async function held(
  order: StoppableOrder,
  {
    stops = [],
    agent,
    unwind,
  }: {
    readonly stops?: readonly (readonly [scope: StopScope, stopped: boolean])[];
    readonly agent?: Partial<AgentRecord>;
    readonly unwind?: UnwindRecord['policy'];
  },
) {
  const store = createMemoryStore();
  await store.write((tx) => {
    for (const [scope, stopped] of stops)
      tx.put(STOPS, stopKey(scope), { stopped, reason: 'alarm', atMs: T0, policy: 'keep' });
    if (agent !== undefined)
      tx.put(AGENTS, [ada, AGENT_ID], {
        userId: ada,
        agentId: AGENT_ID,
        enabled: true,
        settings: defaultSettings(choicesOf(STRATEGIES, AGENT_ID), AGENT),
        updatedAtMs: T0,
        ...agent,
      });
    if (unwind !== undefined)
      tx.put(UNWINDS, [ada, AGENT_ID], {
        userId: ada,
        agentId: AGENT_ID,
        policy: unwind,
        sinceMs: T0,
      });
  });
  const refused = (() => {
    try {
      assertNotStopped(store, order);
      return null;
    } catch (error) {
      return error as Error & { readonly code: string };
    }
  })();
  expect(refused?.message ?? null).toBe(stopOver(store, order));
  return refused?.code ?? null;
}

describe('L6: a stop', () => {
  const all: StopScope = { kind: 'all' };
  const ofAda: StopScope = { kind: 'user', userId: ada };
  const byAda: StopScope = { kind: 'self', userId: ada };

  it.each<[string, StopScope]>([
    ['of everybody', all],
    ['of its user', ofAda],
    ['its user set', byAda],
  ])('%s holds a buy, manual or of an agent, and no sale, until it is lifted', async (_, scope) => {
    const agent = {};
    const stops = [[scope, true]] as const;
    const lifted = [[scope, false]] as const;
    expect([
      await held(bySelf, { stops }),
      await held(byAgent, { stops, agent }),
      await held({ ...bySelf, side: 'sell' }, { stops }),
      await held({ ...byAgent, side: 'sell' }, { stops, agent }),
      await held(bySelf, { stops: lifted }),
    ]).toEqual(['trading_stopped', 'trading_stopped', null, null, null]);
  });

  it.each<[string, StopScope]>([
    ['of another user', { kind: 'user', userId: bob }],
    ['another user set', { kind: 'self', userId: bob }],
  ])('%s holds nothing', async (_, scope) => {
    expect(await held(bySelf, { stops: [[scope, true]] })).toBeNull();
  });

  it('is found again by its key', () => {
    expect([all, ofAda, byAda].map((scope) => stopScopeOf(stopKey(scope)))).toEqual([
      all,
      ofAda,
      byAda,
    ]);
  });
});

describe('L6: an agent', () => {
  it.each<[string, Partial<AgentRecord> | undefined]>([
    ['that does not exist', undefined],
    ['that is not enabled', { enabled: false }],
    ['that trades on paper', { mode: 'paper' }],
  ])('%s trades nothing, while its user does', async (_, agent) => {
    const known = agent === undefined ? {} : { agent };
    expect([
      await held(byAgent, known),
      await held({ ...byAgent, side: 'sell' }, known),
      await held(bySelf, known),
    ]).toEqual(['agent_stopped', 'agent_stopped', null]);
  });

  it('that was stopped sells while it is unwound by a stop that asked for that, and buys nothing', async () => {
    const agent = { enabled: false };
    const sale: StoppableOrder = { ...byAgent, side: 'sell' };
    expect([
      await held(sale, { agent, unwind: 'close' }),
      await held(sale, { agent, unwind: 'cancel_only' }),
      await held(byAgent, { agent, unwind: 'close' }),
    ]).toEqual([null, 'agent_stopped', 'agent_stopped']);
  });
});
