import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ADOPTION } from '../../config/limits/adoption.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { runAdoptCommand } from '../../src/app/adopt-cli.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import type { AdoptionReport } from '../../src/services/adoption/adoption.ts';
import { eventually } from '../support/eventually.ts';
import { INTERNAL_SECRET, START_MS } from './api.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const inside = { headers: { 'x-internal-secret': INTERNAL_SECRET } };
const folder = mkdtempSync(join(tmpdir(), 'predictd-adopt-'));
afterAll(() => rmSync(folder, { recursive: true }));

const INCOMPLETE: AdoptionReport = {
  state: 'incomplete',
  upToMs: START_MS,
  users: { adopted: 3, lacking: 1 },
  orders: 7,
  left: [
    {
      userId: asId<UserId>('usr_ada'),
      reason: null,
      differences: [{ asset: 'usdc:safe', booked: 5_000_000, onChain: 4_250_000 }],
    },
  ],
  current: null,
};

beforeEach(() => {
  api.adoption.value = { ...INCOMPLETE, state: 'adopted', left: [] };
  api.adoption.begun = 0;
  writeFileSync(
    join(folder, 'addresses.json'),
    JSON.stringify({
      profile: 'live',
      pid: process.pid,
      speed: 1,
      api: api.url,
      socket: api.url,
      sandbox: null,
    }),
  );
});

describe('adopting over the interface', () => {
  it('is begun and followed by an operator alone, with the amounts that are left', async () => {
    api.adoption.value = INCOMPLETE;
    for (const method of ['POST', 'GET'] as const) {
      expect((await api.request(method, '/internal/adopt', {})).body).toMatchObject({
        code: 'unauthenticated',
      });
      expect((await api.request(method, '/internal/adopt', inside)).body).toEqual({
        ...INCOMPLETE,
        left: [
          {
            userId: 'usr_ada',
            reason: null,
            differences: [{ asset: 'usdc:safe', booked: '5', onChain: '4.25' }],
          },
        ],
      });
    }
    expect(api.adoption.begun).toBe(1);
  });
});

describe('predictd adopt', () => {
  const lines: string[] = [];
  beforeEach(() => void lines.splice(0));

  const run = (
    words: readonly string[] = ['--data', folder],
    secret: string | undefined = INTERNAL_SECRET,
    clock = createVirtualClock(START_MS),
  ): Promise<number> =>
    runAdoptCommand(words, {
      environment: { PREDICTD_DATA: 'nowhere', PREDICTD_INTERNAL_SECRET: secret },
      print: (line) => lines.push(line),
      clock,
    });

  it('waits for the daemon, and ends with 0 where ledger and chain agree', async () => {
    api.adoption.value = { ...api.adoption.value, state: 'running' };
    const clock = createVirtualClock(START_MS);
    const running = run(undefined, undefined, clock);
    await eventually(() => expect(clock.pending).toBe(1));
    api.adoption.value = { ...api.adoption.value, state: 'adopted' };
    await clock.advance(60_000);
    expect(await running).toBe(0);
    expect(api.adoption.begun).toBe(1);
    expect(lines.at(-1)).toContain('POST /internal/resume lifts the stop');
  });

  it('prints whose books the daemon is at, once for each step, and how many orders it has adopted', async () => {
    const current = { userId: asId<UserId>('usr_ada'), number: 2, of: 3, reading: 1 } as const;
    const running: AdoptionReport = { ...api.adoption.value, state: 'running', left: [] };
    const clock = createVirtualClock(START_MS);
    api.adoption.value = { ...running, current: { ...current, doing: 'orders' } };
    const ended = run(undefined, undefined, clock);
    const asked = async (): Promise<void> => {
      await eventually(() => expect(clock.pending).toBe(1));
      await clock.advance(ADOPTION.askEveryMs);
    };
    await asked();
    await asked();
    api.adoption.value = { ...running, orders: 9, current: { ...current, doing: 'waiting' } };
    await asked();
    await asked();
    api.adoption.value = { ...api.adoption.value, state: 'adopted', current: null };
    await asked();
    expect(await ended).toBe(0);
    expect(lines.slice(0, 3)).toEqual([
      'reading   user 2 of 3, usr_ada: orders and trades at the venues, reading 1; 7 orders adopted so far',
      'reading   user 2 of 3, usr_ada: waiting for what is not final yet, reading 1; 9 orders adopted so far',
      'orders    9 adopted from what venues and chains have on record',
    ]);
  });

  it('ends with 1, and names each user and amount that is left', async () => {
    api.adoption.value = INCOMPLETE;
    expect(await run()).toBe(1);
    expect(lines).toContain('disputed  usr_ada: usdc:safe is 5 in the books and 4.25 on the chain');
  });

  it('is refused with 2 without the secret, with a wrong one, without a daemon, and for other words', async () => {
    expect(await run(undefined, '')).toBe(2);
    expect(await run(undefined, 'x'.repeat(32))).toBe(2);
    expect(await run(['--data', join(folder, 'none')])).toBe(2);
    expect(await run(['now'])).toBe(2);
    expect(lines).toEqual([
      expect.stringContaining('the daemon answered 401'),
      expect.stringContaining('the daemon answered 401'),
      expect.stringContaining('no daemon runs in'),
      expect.stringContaining('now is not understood; use: predictd adopt [--data <folder>]'),
    ]);
    expect(api.adoption.begun).toBe(0);
  });
});
