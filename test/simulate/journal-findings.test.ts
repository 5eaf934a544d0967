import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import type { AgentRecord, DecisionRecord } from '../../src/domain/agent.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { asId } from '../../src/domain/ids.ts';
import type { DecisionId } from '../../src/domain/ids.ts';
import { depositEntry } from '../../src/domain/ledger-entries.ts';
import { defaultSettings } from '../../src/domain/settings.ts';
import { STRATEGIES } from '../../src/domain/strategy/table.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import { AGENT } from '../../config/limits.ts';
import { anOrder, USER } from '../support/money-records.ts';
import { journalFindings } from './journal-findings.ts';

const DECISION = asId<DecisionId>('dec_1');
const CLEAN = { tradedAfterStop: [], enteredTwice: [], staleDecisions: [], aboveSize: [], postedTwice: [] };

function agent(enabled: boolean): DomainEvent {
  const record = { userId: USER, agentId: 'btc_5min', enabled, settings: defaultSettings({ agentId: 'btc_5min', rows: STRATEGIES.of('btc_5min') }, AGENT), sizeChosen: true, strategyChosen: true, updatedAtMs: 0 };
  return { type: 'agent.changed', userId: USER, atMs: 0, agent: record as AgentRecord };
}

function entry(makerMicros = 5_000_000): DomainEvent {
  const { intent } = anOrder({ intent: { makerMicros, origin: { kind: 'agent', agentId: 'btc_5min', decisionId: DECISION, purpose: 'entry' } } });
  return { type: 'order.intended', userId: USER, atMs: 0, intent };
}

function decision(ageMs: number): DomainEvent {
  const record = { decisionId: DECISION, inputs: [{ name: 'oracle price', value: '1', ageMs, limitMs: 100 }], outcome: { kind: 'order', intentId: asId('int_1') } };
  // The check reads no more of a decision than this.
  return { type: 'decision.made', userId: USER, atMs: 0, decision: record as unknown as DecisionRecord };
}

const deposit: DomainEvent = { type: 'ledger.posted', userId: USER, atMs: 0, entry: depositEntry({ userId: USER, transferId: 'd', usdc: usdcMicros(1), atMs: 0 }) };

async function findingsIn(...events: readonly DomainEvent[]): Promise<ReturnType<typeof journalFindings>> {
  const store = createMemoryStore();
  await store.write((tx) => events.forEach((event) => tx.append(event)));
  return journalFindings(store);
}

describe('the check of a journal', () => {
  it('finds nothing in a clean one', async () => {
    expect(await findingsIn(agent(true), decision(100), entry(), agent(false), deposit)).toEqual(CLEAN);
  });

  it.each([
    ['tradedAfterStop', [agent(true), agent(false), entry()]],
    ['enteredTwice', [agent(true), entry(), entry()]],
    ['staleDecisions', [decision(101)]],
    ['aboveSize', [agent(true), entry(5_000_001)]],
    ['postedTwice', [deposit, deposit]],
  ] as const)('finds %s, and nothing else', async (name, events) => {
    const found = await findingsIn(...events);
    expect(found[name]).toHaveLength(1);
    expect({ ...found, [name]: [] }).toEqual(CLEAN);
  });
});
