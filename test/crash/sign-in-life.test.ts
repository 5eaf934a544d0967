import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { UserId } from '../../src/domain/ids.ts';
import { HOUSE_CLIENT } from '../../src/services/sign-in/client.ts';
import type { Proof } from '../../src/services/sign-in/other-houses.ts';
import { USERS, USER_IDENTITIES, USER_PHONES } from '../../src/services/sign-in/tables.ts';
import { openHouse, START_MS, venueModel } from '../services/sign-in/identity-house.ts';
import { createModelGoogle } from '../support/fakes/model-houses.ts';
import type { CutPoint } from '../support/storms/power-cut.ts';
import { cutPoints } from '../support/storms/power-cut.ts';

type House = Awaited<ReturnType<typeof openHouse>>;
type Way = Proof['kind'];

const WAYS: readonly Way[] = ['phone', 'google', 'siwf'];
const PHONE = '+14155552671';

/** What the person brings: begun anew each time, as somebody does whose answer was lost. */
async function prove(house: House, way: Way): Promise<Proof> {
  if (way === 'phone') {
    const { challengeId } = await patiently(house, () => house.sessions.requestCode(PHONE));
    return { kind: 'phone', challengeId, code: house.sent.at(-1)?.code ?? '' };
  }
  if (way === 'google') {
    const { visit, url } = await house.otherHouses.beginGoogle();
    return {
      kind: 'google',
      visit,
      returnedTo: house.google.visit(url, { subject: '1'.repeat(21), email: 'ana@example.org' }),
    };
  }
  const start = await house.otherHouses.beginSocial();
  return { kind: 'siwf', visit: start.visit, ...(await house.social.sign(77, start)) };
}

/** Waits as long as the house says, and asks again. */
async function patiently<T>(house: House, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.retryAfterMs === null) throw error;
      await house.clock.advance(error.retryAfterMs);
    }
  }
}

async function signIn(house: House, way: Way): Promise<UserId> {
  return (await house.otherHouses.signIn(await prove(house, way), HOUSE_CLIENT)).userId;
}

/** Lives on one disk until the power goes, at most once. Sign-in uses the machine's own cryptography, so its time is not the virtual clock's. */
function onDisk(cut: CutPoint | null) {
  const moments = { 'before-commit': 0, 'after-commit': 0, 'after-flush': 0 };
  const disk = { store: createMemoryStore(), isCut: false, powerWent: (): void => undefined };
  const pass = (kind: keyof typeof moments): void => {
    moments[kind] += 1;
    if (
      disk.isCut ||
      cut === null ||
      (cut.at === 'after-commit-kept' ? 'after-commit' : cut.at) !== kind ||
      moments[kind] !== cut.number
    )
      return;
    disk.isCut = true;
    disk.store = disk.store.powerCut({ keptCommits: cut.at === 'after-commit-kept' ? 1 : 0 });
    disk.powerWent();
    throw new Error('the power is gone');
  };
  disk.store = createMemoryStore({
    beforeCommit: () => pass('before-commit'),
    onCommit: () => pass('after-commit'),
    onFlush: () => pass('after-flush'),
  });
  return { disk, moments };
}

/** A world that a dead process no longer reaches. */
function reachableWhile(
  isAlive: () => boolean,
  world: ReturnType<typeof venueModel>,
): ReturnType<typeof venueModel> {
  const guard =
    <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      isAlive() ? call(...args) : new Promise<T>(() => undefined);
  const { state, venue, faucet, syncDeposits } = world;
  return {
    state,
    venue: {
      open: guard(venue.open),
      deposits: guard(venue.deposits),
      collateral: guard(venue.collateral),
    },
    faucet: { grant: guard(faucet.grant) },
    syncDeposits: guard(syncDeposits),
  };
}

/** A person signs in by one way, takes a name, adds another way, and comes back by that. */
async function live(first: Way, second: Way, cut: CutPoint | null) {
  const { disk, moments } = onDisk(cut);
  const [clock, world, google] = [createVirtualClock(START_MS), venueModel(), createModelGoogle()];
  const users: UserId[] = [];
  const steps: readonly ((house: House) => Promise<unknown>)[] = [
    async (house) => users.push(await signIn(house, first)),
    async (house) => house.accounts.setUsername(await signIn(house, first), 'ana'),
    async (house) => {
      const userId = await signIn(house, first);
      await house.otherHouses.link(
        { userId, authenticatedAtMs: clock.nowMs() },
        await prove(house, second),
        HOUSE_CLIENT,
      );
    },
    async (house) => users.push(await signIn(house, second)),
  ];
  let lives = 0;
  const begin = async (): Promise<House> => {
    lives += 1;
    const own = disk.store;
    const house = await openHouse({
      store: own,
      clock,
      google,
      world: reachableWhile(() => own === disk.store, world),
      seed: lives,
    });
    await house.accounts.recover();
    return house;
  };
  /** True when the power went meanwhile; what a dead process fails of is nobody's. */
  const diedDuring = async (work: Promise<unknown>): Promise<boolean> => {
    const { isCut } = disk;
    const went = new Promise<void>((resolve) => (disk.powerWent = resolve));
    await Promise.race([work, went]).catch((error: unknown) => {
      if (disk.isCut === isCut) throw error;
    });
    work.catch(() => undefined);
    return disk.isCut !== isCut;
  };
  const start = async (): Promise<House> => {
    for (;;) {
      const house = begin();
      if (!(await diedDuring(house))) return house;
    }
  };
  let house = await start();
  for (const step of steps) {
    while (await diedDuring(step(house))) {
      house.accounts.stop();
      house = await start();
    }
  }
  await clock.advance(120_000);
  const [userId] = users;
  if (userId === undefined) throw new Error('nobody signed in');
  const { account, username, phoneMasked, identities } = house.accounts.profile(userId);
  const ways = [...house.store.range(USER_PHONES), ...house.store.range(USER_IDENTITIES)].map(
    ({ value }) => value.userId === userId,
  );
  return {
    moments,
    lives,
    end: {
      isOne: new Set(users).size === 1,
      users: house.store.range(USERS).length,
      ways,
      granted: world.state.granted.length,
      account,
      username,
      phoneMasked,
      identities,
      hasKey: house.vault.has(userId),
    },
  };
}

describe('signing in through a power cut', () => {
  it.each(WAYS.map((first, index) => [first, WAYS[(index + 1) % WAYS.length] ?? first] as const))(
    'ends in the one user of the run that was not cut, wherever it is cut: %s, then %s',
    async (first, second) => {
      const whole = await live(first, second, null);
      expect(whole.end).toMatchObject({
        isOne: true,
        users: 1,
        ways: [true, true],
        granted: 1,
        account: 'ready',
        username: 'ana',
        hasKey: true,
      });
      for (const cut of cutPoints(whole.moments)) {
        const { lives, end } = await live(first, second, cut);
        expect([cut, lives, end]).toEqual([cut, 2, whole.end]);
      }
    },
  );
});
