import { describe, expect, it } from 'vitest';
import { AGENT } from '../../config/limits.ts';
import { createMemoryBus } from '../../src/adapters/bus/memory-bus.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { reportToConsole } from '../../src/app/console-reporter.ts';
import { defaultSettings } from '../../src/domain/settings.ts';
import { STRATEGIES } from '../../src/domain/strategy/table.ts';
import { ENABLED_PERIODS } from '../../src/services/execution/tables.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import type { FillRecord } from '../../src/domain/fill.ts';
import { asId, type DecisionId, type UserId } from '../../src/domain/ids.ts';
import { FILLS, ORDERS, TOKEN_FILLS } from '../../src/services/books/tables.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { aMarket, aUserId } from '../support/builders.ts';
import { aFill, anOrder } from '../support/worlds/money-records.ts';
import { createKeptLog } from '../support/quiet.ts';

const market = aMarket();
const demo = aUserId('demo');
const stranger = aUserId('ada');
const NOON = Date.UTC(2026, 0, 1, 12);

const fill = aFill({ userId: demo, marketId: market.marketId });
const order = anOrder({ intent: { userId: demo, marketId: market.marketId } });
const settings = defaultSettings({ agentId: 'btc_5min', rows: STRATEGIES.of('btc_5min') }, AGENT);

/**
 * What is printed of events that all come at noon, by a process that has `fill` and `order` in its
 * store and has printed nothing yet.
 */
async function printed(
  events: readonly DomainEvent[],
  {
    settlement = 'settled',
    wasEnabled = false,
  }: { readonly settlement?: FillRecord['settlement']; readonly wasEnabled?: boolean } = {},
): Promise<readonly string[]> {
  const bus = createMemoryBus({ log: createKeptLog() });
  const store = createMemoryStore();
  await store.write((tx) => {
    tx.put(FILLS, [demo, fill.orderId, fill.tradeId], { ...fill, settlement });
    tx.put(TOKEN_FILLS, [demo, fill.tokenId, 1], { orderId: fill.orderId, tradeId: fill.tradeId });
    tx.put(ORDERS, [demo, order.intent.intentId], order);
    if (wasEnabled)
      tx.put(ENABLED_PERIODS, [demo, 'btc_5min', 1], { groupKey: 'up_down', untilMs: 1 });
  });
  const lines: string[] = [];
  reportToConsole({
    bus,
    store,
    clock: createVirtualClock(NOON),
    print: (line) => void lines.push(line),
    nameOf: (userId) => (userId === demo ? null : 'ada_l'),
    marketOf: () => market,
  });
  bus.publish(events.map((event, index) => ({ seq: index + 1, event })));
  return lines;
}

function settled(userId: UserId, atMs = NOON): DomainEvent {
  return {
    type: 'fill.settled',
    userId,
    atMs,
    tradeId: fill.tradeId,
    orderId: fill.orderId,
    transactionHash: null,
  };
}

describe('the story on the terminal', () => {
  it('says which trade is final by what was traded, also of one that an earlier process reported', async () => {
    const [first] = await printed([{ type: 'fill.recorded', userId: demo, atMs: NOON, fill }]);
    const traded = /bought .* on \S+/.exec(first ?? '')?.[0].split(' for ')[0];
    expect(await printed([settled(demo)])).toEqual([`12:00:00  settled   ${traded}: final`]);
  });

  it('says which order changed by what was requested, also of one that an earlier process reported', async () => {
    const [requested] = await printed([
      { type: 'order.intended', userId: demo, atMs: NOON, intent: order.intent },
    ]);
    const changed: DomainEvent = {
      type: 'order.changed',
      userId: demo,
      atMs: NOON,
      intentId: order.intent.intentId,
      from: 'unknown',
      to: 'filled',
      reason: null,
    };
    expect(await printed([changed])).toEqual([
      requested?.replace('money set aside', 'unknown → filled'),
    ]);
  });

  it('says of a position that ended whether it was sold or taken back with its trade', async () => {
    const ended: DomainEvent = {
      type: 'position.changed',
      userId: demo,
      atMs: NOON,
      position: {
        userId: demo,
        cashAccount: 'usdc:safe',
        marketId: fill.marketId,
        tokenId: fill.tokenId,
        outcome: 0,
        question: market.question,
        outcomeLabel: 'Up',
        agentId: null,
        state: 'closed',
        shares: shareMicros(0),
        costUsdc: usdcMicros(0),
        realizedPnl: usdcMicros(0),
        feesUsdc: usdcMicros(0),
        openedAtMs: NOON,
        endsAtMs: NOON,
        closedAtMs: NOON,
      },
    };
    const result = `12:00:00  result    ${market.slug} Up: `;
    expect(await printed([ended])).toEqual([`${result}sold; profit $0, sales and fees included`]);
    expect(await printed([ended], { settlement: 'reversed' })).toEqual([
      `${result}taken back with its trade; nothing won or lost`,
    ]);
  });

  it('tells of an agent once a user enables it, and of each change from then on', async () => {
    const changed = (isEnabled: boolean): DomainEvent => ({
      type: 'agent.changed',
      userId: demo,
      atMs: NOON,
      agent: { userId: demo, agentId: 'btc_5min', enabled: isEnabled, settings, updatedAtMs: NOON },
    });
    const [set, enabled] = [changed(false), changed(true)];
    const said = (word: string): string =>
      `12:00:00  agent     BTC 5-minute: ${word}, up_down, $5 a trade`;
    expect(await printed([set, enabled])).toEqual([said('enabled')]);
    expect(await printed([set, enabled], { wasEnabled: true })).toEqual([
      said('not enabled'),
      said('enabled'),
    ]);
  });

  it('tells once that an agent holds on in a market, and how often it did when it decides otherwise', async () => {
    const decided = (verdict: 'hold' | 'exit', index: number): DomainEvent => ({
      type: 'decision.made',
      userId: demo,
      atMs: NOON,
      decision: {
        decisionId: asId<DecisionId>(`dec_${index}`),
        userId: demo,
        agentId: 'btc_5min',
        marketId: market.marketId,
        strategy: 'up_down',
        atMs: NOON,
        inputs: [],
        amountUsdc: null,
        outcome: { kind: 'none' },
        decision: {
          verdict,
          outcome: 0,
          criteria: [
            { name: 'time left', value: '9 s', threshold: 'more than 10 s', passed: false },
          ],
          reason: 'Because.',
        },
      },
    });
    const lines = await printed(
      (['hold', 'hold', 'hold', 'exit', 'hold', 'exit'] as const).map(decided),
    );
    expect(lines.map((line) => line.split('\n')[0]?.replace(/^.*: /, ''))).toEqual([
      'hold Up. Because.',
      'exit Up. Because. It was held 2 more times before.',
      'hold Up. Because.',
      'exit Up. Because.',
    ]);
    expect(lines[1]?.split('\n')[1]?.trim()).toBe('✗ time left: 9 s (more than 10 s)');
  });

  it('sets what people and makers of tokens wrote in quotation marks, on one line without escapes', async () => {
    const stopped = (reason: string): DomainEvent => ({
      type: 'trading.stopped',
      userId: demo,
      by: 'user',
      reason,
      atMs: NOON,
    });
    const forged = 'calm”\r\n12:00:00  deposit   $9\u001b[2J\u009b31m\u202e arrived';
    const arrived = (symbol: string): DomainEvent => ({
      type: 'token.arrived',
      userId: demo,
      arrival: {
        userId: demo,
        arrivalId: 'arr_1',
        chain: 'BASE',
        token: '0x1',
        symbol,
        isKnown: true,
        warnings: [],
        decimals: 6,
        units: '5000000',
        transactionHash: null,
        arrivedAtMs: NOON,
      },
      atMs: NOON,
    });
    expect(
      await printed([stopped(forged), arrived('USDC'), arrived('USDC and\n$9 profit')]),
    ).toEqual([
      '12:00:00  stopped   nothing is bought any more: “calm" 12:00:00 deposit $9 [2J 31m arrived”',
      expect.stringMatching(/^12:00:00 {2}arrived {3}[\d.]+ USDC on /),
      expect.stringMatching(/^12:00:00 {2}arrived {3}[\d.]+ “USDC and \$9 profit” on /),
    ]);
  });

  it('names whoever is not the one whose story it is', async () => {
    expect((await printed([settled(stranger)]))[0]).toContain('settled   [ada_l] ');
  });

  it('bears market time, whether a fact bears it, wall time, or that of an earlier judgement', async () => {
    expect(
      (await printed([settled(demo, NOON - 7_200_000), settled(demo, NOON - 900)])).map((line) =>
        line.slice(0, 8),
      ),
    ).toEqual(['12:00:00', '12:00:00']);
  });
});
