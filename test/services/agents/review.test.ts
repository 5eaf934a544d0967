import { expect, it } from 'vitest';
import { AGENT } from '../../../config/limits.ts';
import { toActorClock } from '../../../machines/actor-clock.ts';
import { agentMachine, createAgentActor } from '../../../machines/agent.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { createFanOut } from '../../../src/services/execution/fan-out.ts';
import { createReviews } from '../../../src/services/agents/review.ts';
import type { Member } from '../../../src/services/agents/roster.ts';
import { aMarketId, aUserId, T0 } from '../../support/builders.ts';
import { createKeptLog } from '../../support/quiet.ts';

it('L2: informs an agent whose bid has ended without any event of its own, and keeps no timer for it', async () => {
  const clock = createVirtualClock(T0);
  const row = STRATEGIES.row('btc_5min', 'limiter');
  if (row === null) throw new Error('the agent has a limiter');
  const marketId = aMarketId(1);
  const actor = createAgentActor(
    agentMachine,
    {
      userId: aUserId(1),
      agentId: 'btc_5min',
      marketId,
      lifeMs: 300_000,
      held: 0,
      bidLeftMs: 200_000,
    },
    toActorClock(clock),
  );
  actor.start();
  const group = {
    key: 'limiter',
    row,
    settings: { inferenceDifferenceMicros: 500 },
    members: new Set<Member>(),
    line: { next: null },
    rounds: new Map(),
  };
  const member: Member = {
    userId: aUserId(1),
    agentId: 'btc_5min',
    mode: 'live',
    shadow: null,
    group,
    actor,
    parked: null,
    marketId,
  };
  const reviews = createReviews({
    clock,
    log: createKeptLog(),
    signals: { roundView: () => null },
    executions: () => ({
      store: createMemoryStore(),
      portfolio: { holdings: () => [] },
      receipts: {
        make: () => {
          throw new Error('nothing is decided here');
        },
        write: () => Promise.resolve(),
      },
    }),
    advise: ({ actor: advised }) => void advised?.send({ type: 'exit.advised' }),
    fanOut: createFanOut<Member>({
      clock,
      random: createSeededRandom('reviews'),
      chunk: 8,
      onError: (error) => {
        throw error;
      },
    }),
  });
  reviews.add(member, marketId, { kind: 'bid', outcome: 0, endsAtMs: T0 + 300_000 });
  actor.subscribe({ complete: () => reviews.remove(member, marketId) });
  expect(actor.getSnapshot().value).toBe('resting');
  await clock.advance(AGENT.reviewIntervalMs);
  expect([actor.getSnapshot().value, actor.getSnapshot().status]).toEqual(['over', 'done']);
  await clock.advance(AGENT.reviewIntervalMs);
  expect(clock.pending).toBe(0);
});
