import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { startDemoUser, type DemoDeps } from '../../src/app/demo-user.ts';
import { AppError } from '../../src/domain/errors.ts';
import { AGENT_IDS, type AgentId } from '../../src/domain/ids.ts';
import { aUserId, T0 } from '../support/builders.ts';

const USER = aUserId(1);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-demo-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A newcomer whose account, deposit and Safe come when the test says so. */
function aNewcomer(wereEnabled: readonly AgentId[] = []) {
  const clock = createVirtualClock(T0);
  const state = {
    account: 'preparing',
    settled: 0,
    missing: ['deployment', 'allowances'] as readonly string[],
    username: null as string | null,
    printed: '',
    enabled: [] as AgentId[],
    unready: null as AgentId | null,
  };
  const ending = new AbortController();
  // Each is what the demo uses of the service, and nothing else of it.
  const deps = {
    clock,
    folder,
    ending: ending.signal,
    sessions: {
      requestCode: async () => ({ challengeId: 'c1' }),
      verifyCode: async () => ({ userId: USER, accessToken: 'a.b.c', refreshToken: 'r1' }),
      refresh: async () => ({ accessToken: 'd.e.f', refreshToken: 'r2' }),
    },
    accounts: {
      profile: () => ({ username: state.username, account: state.account }),
      setUsername: async (_: unknown, name: string) => void (state.username = name),
      activate: async () => undefined,
    },
    agents: {
      list: () =>
        AGENT_IDS.map((agentId) => ({
          profile: { agentId },
          enabled: state.enabled.includes(agentId),
          updatedAtMs: null,
          settings: { strategy: 'max' },
        })),
      updateSettings: async () => undefined,
      async enable(_: unknown, agentId: AgentId) {
        if (state.unready === agentId)
          throw new AppError('agent_not_ready', `${agentId} cannot be enabled: 0 USDC`);
        state.enabled.push(agentId);
      },
    },
    portfolio: { cash: () => ({ settled: state.settled, available: state.settled }) },
    codeFor: () => '123456',
    wasEnabled: (_: unknown, agentId: AgentId) => wereEnabled.includes(agentId),
    walletMissing: () => state.missing,
    print: (line: string) => void (state.printed += `${line}\n`),
  } as unknown as DemoDeps;
  return { clock, state, ending, begin: () => startDemoUser(deps) };
}

describe('the demo user', () => {
  it('has its token at once, hears what is waited for, and trades when all of it is there', async () => {
    const { clock, state, begin } = aNewcomer();
    const started = begin();
    await clock.advance(0);
    expect(readFileSync(join(folder, 'demo-token'), 'utf8').trim()).toBe('a.b.c');
    expect(state.printed).toContain(
      `demo user ${USER}; its token for curl (kept fresh in ${join(folder, 'demo-token')}):\na.b.c\n`,
    );
    await clock.advance(3_000);
    state.account = 'ready';
    state.settled = 1_000_000_000;
    await clock.advance(3_000);
    expect(state.enabled).toEqual([]);
    state.missing = [];
    await clock.advance(3_000);
    (await started).stop();
    expect(
      state.printed
        .split('\n')
        .filter((line) => line.startsWith('demo user '))
        .slice(1),
    ).toEqual([
      'demo user waits for its account at the venue, its deposit, the deployment of its Safe, the allowances of its Safe; trading begins by itself then',
      'demo user waits for the deployment of its Safe, the allowances of its Safe; trading begins by itself then',
      `demo user ${USER} is ready with 1000 USDC`,
    ]);
    expect(state.enabled).toEqual([...AGENT_IDS]);
    expect(clock.pending).toBe(0);
  });

  it('L6: leaves an agent alone that was enabled once and is not any more', async () => {
    const [first, ...others] = AGENT_IDS;
    const { clock, state, begin } = aNewcomer(first === undefined ? [] : [first]);
    Object.assign(state, { account: 'ready', settled: 1, missing: [] });
    const started = begin();
    await clock.advance(0);
    (await started).stop();
    expect(state.enabled).toEqual(others);
  });

  it('trades with the agents that are ready, says what another waits for, and enables it then', async () => {
    const { clock, state, begin } = aNewcomer();
    Object.assign(state, { account: 'ready', settled: 1, missing: [], unready: 'btc_15min' });
    const started = begin();
    await clock.advance(10_000);
    expect(state.enabled).toEqual(AGENT_IDS.filter((agentId) => agentId !== 'btc_15min'));
    expect(state.printed).toContain('demo user waits: btc_15min cannot be enabled: 0 USDC\n');
    state.unready = null;
    await clock.advance(10_000);
    expect(state.enabled.at(-1)).toBe('btc_15min');
    (await started).stop();
    expect(clock.pending).toBe(0);
  });

  it('waits no longer than the process lives', async () => {
    const { clock, ending, begin } = aNewcomer();
    const started = begin();
    await clock.advance(1_000);
    ending.abort(new Error('the process is to end'));
    await expect(started).rejects.toThrow('the process is to end');
    expect(clock.pending).toBe(0);
  });
});
