import { describe, expect, it } from 'vitest';
import { RISK_SURVEY } from '../../../config/limits/figures.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { NO_RISK, type RiskState } from '../../../src/domain/risk.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { POSITIONS, RISK, USER_CAPS } from '../../../src/services/books/tables.ts';
import { createRiskSurvey } from '../../../src/services/portfolio/risk-survey.ts';
import { aPosition, aUserId, T0 } from '../../support/builders.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';

const usd = (dollars: number) => usdcMicros(dollars * 1_000_000);

function aSurvey() {
  const [store, clock, metrics] = [
    createMemoryStore(),
    createVirtualClock(T0),
    createCountingMetrics(),
  ];
  const caps = { exposureUsdc: usd(100) };
  const paperStore = createMemoryStore();
  const found: string[] = [];
  const check = createRiskSurvey({
    store,
    paperStore,
    found: (mode, { agentId }) => void found.push(`${mode} ${agentId}`),
    clock,
    wallClock: clock,
    metrics,
    caps,
  });
  const reserve = (user: string | number, dollars: number) => {
    const risk: RiskState = {
      ...NO_RISK,
      cash: { 'usdc:safe': { reservedUsdc: usd(dollars), outgoingUsdc: usd(1) } },
    };
    return store.write((tx) => tx.put(RISK, [aUserId(user)], risk));
  };
  return { store, paperStore, found, clock, metrics, check, reserve };
}

describe('the survey of what users have at risk', () => {
  it('adds up what all have reserved, and shows the user who is nearest to a cap', async () => {
    const { metrics, check, reserve, store } = aSurvey();
    await reserve(1, 20);
    await reserve(2, 30);
    await store.write((tx) => tx.put(USER_CAPS, [aUserId(2)], { exposureUsdc: usd(40) }));
    check();
    check();
    expect(metrics.gauges).toMatchObject({
      'money_usdc account=safe kind=reserved': 50,
      'money_usdc account=safe kind=outgoing': 2,
      'money_usdc account=solana kind=reserved': 0,
      'cap_used_ratio agent=all cap=exposure': 0.75,
      'cap_used_ratio agent=all cap=daily_loss': 0,
      'cap_used_ratio agent=venue_a_farming cap=open_positions': 0,
      money_summed_timestamp_seconds: T0 / 1_000,
    });
  });

  it('reads a page of users a call and tells when all were read, again after its pause', async () => {
    const { clock, metrics, check, reserve } = aSurvey();
    const users = RISK_SURVEY.usersPerRead + 1;
    for (let user = 0; user < users; user += 1) await reserve(user, 1);
    check();
    expect(metrics.gauges).toEqual({});
    check();
    check();
    expect(metrics.gauges['money_usdc account=safe kind=reserved']).toBe(users);
    await reserve('late', 9);
    check();
    await clock.advance(RISK_SURVEY.intervalMs);
    check();
    check();
    check();
    expect(metrics.gauges['money_usdc account=safe kind=reserved']).toBe(users + 9);
  });

  it('adds up what positions of agents have cost, with real money and on paper, and hands each over', async () => {
    const { metrics, check, store, paperStore, found } = aSurvey();
    for (const [kept, dollars] of [
      [store, 5],
      [paperStore, 7],
    ] as const)
      await kept.write((tx) => {
        const position = aPosition();
        tx.put(POSITIONS, [position.userId, position.tokenId], position);
        tx.put(RISK, [position.userId], {
          ...NO_RISK,
          tokens: {
            [position.tokenId]: {
              openBuys: 0,
              reservedShares: 0,
              outgoingShares: 0,
              heldShares: 10_000_000,
              costUsdc: usd(dollars),
            },
          },
        });
      });
    check();
    check();
    expect(metrics.gauges).toMatchObject({
      'agent_open_usdc agent=btc_5min mode=live': 5,
      'agent_open_usdc agent=btc_5min mode=paper': 7,
      'agent_open_usdc agent=eth_15min mode=paper': 0,
      'money_usdc account=safe kind=positions': 5,
    });
    expect(found).toEqual(['live btc_5min', 'paper btc_5min']);
  });
});
