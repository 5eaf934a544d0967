import { afterEach, describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { registryMessages } from '../../../src/adapters/solana/registry-messages.ts';
import type { RegistryCall } from '../../../src/services/registry/registry-intent.ts';
import type { FeedbackRequest, RegisterRequest } from '../../../src/services/registry/registry.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { AgentAccount } from '../../peers/agent-registry.ts';
import {
  createLaunchWorld,
  OTHER,
  USER,
  type LaunchWorld,
} from '../../support/worlds/launch-world.ts';

const open: LaunchWorld[] = [];
afterEach(() => open.splice(0).forEach((world) => world.close()));

const ENTRY: RegisterRequest = {
  agentId: 'btc_5min',
  name: 'BTC five minutes',
  description: 'Trades rounds of five minutes.',
  imageId: null,
  services: [{ type: 'MCP', value: 'https://agents.example.com/mcp' }],
  skills: [],
  domains: [],
};

async function aRegistry() {
  const world = await createLaunchWorld();
  open.push(world);
  const life = world.live();
  const register = (
    userId: UserId = USER,
    change: Partial<RegisterRequest> = {},
    call: Partial<RegistryCall> = {},
  ) =>
    world.until(
      life.registry.register(
        userId,
        { ...ENTRY, ...change },
        { isFresh: false, waitMs: 5_000, ...call },
      ),
    );
  const rate = (userId: UserId, agent: string, change: Partial<FeedbackRequest> = {}) =>
    world.until(
      life.registry.feedback(
        userId,
        {
          agent,
          value: 9_977n,
          valueDecimals: 2,
          score: 87,
          tag1: 'starred',
          tag2: 'day',
          endpoint: '',
          comment: 'Answers at once.',
          ...change,
        },
        { isFresh: false, waitMs: 5_000 },
      ),
    );
  const stateOf = async (userId: UserId) => {
    await world.clock.advance(60_000);
    return life.registry.list(userId, { limit: 9, cursor: null }).data.map(({ state }) => state);
  };
  const agent = (asset: string) =>
    AgentAccount.deserialize(
      Buffer.from(world.chain.account(registryMessages.agentAddress(asset))?.data ?? []),
    );
  return { ...world, life, register, rate, stateOf, agent };
}

describe('an entry in the agent registry', () => {
  it("is one of the user's agents, read by the registry's package, with its receipts' head", async () => {
    const { register, stateOf, agent, files, wallet } = await aRegistry();
    const record = await register();
    expect(await stateOf(USER)).toEqual(['recorded']);
    const entry = agent(record.asset);
    expect([entry.agent_uri, entry.getOwnerPublicKey().toBase58()]).toEqual([
      record.fileUri,
      wallet,
    ]);
    const file = JSON.parse(
      Buffer.from(files.get(record.fileUri ?? '')?.bytes ?? []).toString(),
    ) as unknown;
    expect(file).toMatchObject({
      name: ENTRY.name,
      evidence: { agent: 'btc_5min', head: { seq: 7, hash: 'ab'.repeat(32) } },
    });
  });

  it('says what its agent can do, in its file at the service that has it, and in its record', async () => {
    const { register, files, life } = await aRegistry();
    const said = { skills: ['a/b'], domains: ['c/d'] };
    const oasf = { type: 'OASF', value: 'https://agents.example.com/oasf' } as const;
    const { fileUri, entryId } = await register(USER, {
      ...said,
      services: [...ENTRY.services, oasf],
    });
    const file = JSON.parse(
      Buffer.from(files.get(fileUri ?? '')?.bytes ?? []).toString(),
    ) as unknown;
    expect(file).toMatchObject({
      services: [{ name: 'MCP' }, { name: 'OASF', endpoint: oasf.value, ...said }],
    });
    expect(life.registry.get(USER, entryId)).toMatchObject(said);
  });

  it('is reported by a notification when it is there, and read again by its id', async () => {
    const { register, stateOf, life, bus } = await aRegistry();
    const { entryId, asset } = await register();
    await stateOf(USER);
    const reported = bus.entries.flatMap(({ event }) =>
      event.type === 'registry.changed' ? [[event.from, event.record.state]] : [],
    );
    expect(reported).toEqual([
      [null, 'queued'],
      ['queued', 'recorded'],
    ]);
    expect(life.registry.get(USER, entryId)).toMatchObject({ entryId, asset, state: 'recorded' });
    expect(life.registry.get(OTHER, entryId)).toBeNull();
  });

  it('is one of an agent, and one for a key however often it is repeated', async () => {
    const { register, life } = await aRegistry();
    const first = await register(USER, {}, { key: 'a key' });
    const second = await register(USER, {}, { key: 'a key' });
    expect(second.entryId).toBe(first.entryId);
    await expect(register()).rejects.toMatchObject({ code: 'conflict' });
    await register(USER, { agentId: 'eth_15min' });
    expect(life.registry.list(USER, { limit: 9, cursor: null }).data.length).toBe(2);
  });

  it('is kept in by a stop', async () => {
    const { register, state } = await aRegistry();
    state.stop = 'stopped';
    await expect(register()).rejects.toMatchObject({ code: 'trading_stopped' });
  });
});

describe('feedback', () => {
  it("on another's agent is counted on the chain, its comment a file the chain holds the digest of", async () => {
    const { register, rate, stateOf, agent, files, landed } = await aRegistry();
    const { asset } = await register(OTHER);
    await stateOf(OTHER);
    const record = await rate(USER, asset);
    expect(await stateOf(USER)).toEqual(['recorded']);
    expect(String(agent(asset).feedback_count)).toBe('1');
    const bytes = files.get(record.fileUri ?? '')?.bytes ?? new Uint8Array();
    expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({
      agent: asset,
      comment: 'Answers at once.',
      value: '9977',
    });
    const [said] = landed();
    expect(Buffer.from(said?.base64 ?? '', 'base64').includes(digestOf(bytes))).toBe(true);
  });

  it('on one’s own agent is refused, and so is an address without an entry', async () => {
    const { register, rate, stateOf } = await aRegistry();
    const { asset } = await register();
    await stateOf(USER);
    await expect(rate(USER, asset)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(rate(USER, 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB')).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

function digestOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
