import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import type { JournalEntry } from '../../src/domain/events.ts';
import { ORDERS } from '../../src/services/books/tables.ts';
import { brokenLaws } from '../support/worlds/trading-world.ts';
import {
  familyOf,
  killDaemons,
  membersOf,
  startDaemon,
  until,
  untilGone,
  type Daemon,
} from './support/daemon.ts';
import { runs, sampled } from '../support/sampled.ts';

/**
 * Several starts of a whole sandbox, each of a second or two, and of many where other tests run
 * beside.
 */
const STARTS = { timeout: 600_000 };
/** Its token comes first; what its account shows is the same in each life once it is ready. */
const DEMO =
  /demo user (usr_\w+); its token[^\n]*\n([\w-]+\.[\w-]+\.[\w-]+)\n[\s\S]*demo user \1 is ready/;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-crash-'));
});
afterEach(async () => {
  await killDaemons();
  rmSync(folder, { recursive: true, force: true });
});

const start = (): Daemon => startDaemon({ PREDICTD_DATA: folder });

/**
 * Ends a life from outside, by a signal or as it ends itself, and waits until its world and its
 * chains are gone too.
 */
async function endOf(life: Daemon, signal: NodeJS.Signals): ReturnType<typeof wait> {
  const family = familyOf(life.pid);
  life.signal(signal);
  return wait(life, family);
}

async function wait(life: Daemon, family: readonly number[]): Promise<Awaited<Daemon['ended']>> {
  const ending = await life.ended;
  await untilGone(family);
  return ending;
}

/** The demo user of a life: its id, and what its own token shows of it. */
async function demoOf(
  life: Daemon,
): Promise<{ readonly userId: string; readonly profile: unknown }> {
  const [, userId = '', token = ''] = await life.saw(DEMO);
  const answer = await fetch(`${await life.url()}/api/user/profile`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
  return { userId, profile: await answer.json() };
}

interface AtRest {
  readonly journal: readonly JournalEntry[];
  readonly intentIds: readonly unknown[];
  readonly brokenLaws: readonly string[];
  readonly journalHoles: number;
}

/** What the folder holds while no process runs. */
async function atRest(userId: string): Promise<AtRest> {
  const store = await openLmdbStore({ path: join(folder, 'store') });
  try {
    const journal = store.readJournal(0, 1_000_000);
    return {
      journal,
      intentIds: store.range(ORDERS).map(({ value }) => value.intent.intentId),
      brokenLaws: brokenLaws(store, asId<UserId>(userId)),
      journalHoles: journal.filter(({ seq }, index) => seq !== index + 1).length,
    };
  } finally {
    await store.close();
  }
}

const stored =
  (...path: readonly string[]) =>
  (): Promise<void> =>
    until(() => existsSync(join(folder, ...path)));
const MOMENTS: readonly (readonly [string, (life: Daemon) => Promise<unknown>])[] = [
  ['its world has begun', stored('sandbox', 'world.json')],
  ['its first chain has been written', stored('sandbox', 'polygon.json')],
  ['it listens', (life) => life.saw(/answers at/)],
  ['its demo user signs in', (life) => life.saw(/sign-in {3}code for/)],
  ['its first order is signed', (life) => life.saw(/\d {2}order {5}signed, id/)],
];

describe('the daemon and its sandbox, killed by SIGKILL', () => {
  it(
    'L1, L4, L9: leaves nothing running, and goes on with the same user, orders and books, also after kills in a row',
    STARTS,
    async () => {
      const first = start();
      const demo = await demoOf(first);
      await first.saw(/\d {2}settled /);
      expect(await endOf(first, 'SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
      const before = await atRest(demo.userId);
      for (let round = 0; round < runs(0, 3); round += 1) {
        const life = start();
        await life.url();
        await endOf(life, 'SIGKILL');
      }
      const last = start();
      expect(await demoOf(last)).toEqual(demo);
      expect(await endOf(last, 'SIGTERM')).toEqual({ code: 0, signal: null });
      const after = await atRest(demo.userId);
      expect([
        before.brokenLaws,
        after.brokenLaws,
        before.journalHoles,
        after.journalHoles,
      ]).toEqual([[], [], 0, 0]);
      expect(before.intentIds.length).toBeGreaterThan(0);
      expect(after.intentIds).toEqual(expect.arrayContaining([...before.intentIds]));
      expect(after.journal.slice(0, before.journal.length)).toEqual(before.journal);
    },
  );

  it.each(sampled('moments of a first start', MOMENTS, 1))(
    'L9: comes up after a kill in its very first start, as soon as %s',
    STARTS,
    async (_, come) => {
      const first = start();
      await come(first);
      await endOf(first, 'SIGKILL');
      await expectGood(start());
    },
  );

  async function expectGood(next: Daemon): Promise<void> {
    const { userId } = await demoOf(next);
    expect(await endOf(next, 'SIGTERM')).toEqual({ code: 0, signal: null });
    expect(next.complained()).toBe('');
    expect(await atRest(userId)).toMatchObject({ brokenLaws: [], journalHoles: 0 });
  }
});

describe('the daemon whose sandbox world is killed', () => {
  it(
    'L9: says so in one sentence, ends with 70, and goes on with the same user at the next start',
    STARTS,
    async () => {
      const first = start();
      const demo = await demoOf(first);
      const family = familyOf(first.pid);
      for (const world of membersOf(first.pid).filter((pid) => pid !== first.pid))
        process.kill(world, 'SIGKILL');
      expect(await wait(first, family)).toEqual({ code: 70, signal: null });
      expect(first.complained()).toBe(
        "predictd: the sandbox's world ended by itself (SIGKILL); start predictd again and it goes on where it was.\n",
      );
      const next = start();
      expect(await demoOf(next)).toEqual(demo);
      expect(await endOf(next, 'SIGTERM')).toEqual({ code: 0, signal: null });
    },
  );
});
