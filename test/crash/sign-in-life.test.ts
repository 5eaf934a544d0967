import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { UserId } from '../../src/domain/ids.ts';
import { TEST_CLIENT } from '../../src/services/sign-in/client.ts';
import type { Proof } from '../../src/services/sign-in/federated-identity.ts';
import { USERS, USER_IDENTITIES, USER_PHONES } from '../../src/services/sign-in/tables.ts';
import { openRuntime, START_MS, venueModel } from '../services/sign-in/identity-runtime.ts';
import { createModelGoogle } from '../support/fakes/model-identity-providers.ts';
import { cutPoints, type CutPoint } from '../support/loads/crash-points.ts';
import { sampled } from '../support/sampled.ts';

type Runtime = Awaited<ReturnType<typeof openRuntime>>;
type Way = Proof['kind'];

const WAYS: readonly Way[] = ['phone', 'google', 'siwf'];
const PHONE = '+14155552671';

/** What the person brings: begun anew each time, as a user does whose answer was lost. */
async function prove(runtime: Runtime, way: Way): Promise<Proof> {
  if (way === 'phone') {
    const { challengeId } = await patiently(runtime, () => runtime.sessions.requestCode(PHONE));
    return { kind: 'phone', challengeId, code: runtime.sent.at(-1)?.code ?? '' };
  }
  if (way === 'google') {
    const { visit, url } = await runtime.federatedIdentity.beginGoogle();
    return {
      kind: 'google',
      visit,
      returnedTo: runtime.google.visit(url, { subject: '1'.repeat(21), email: 'ana@example.org' }),
    };
  }
  const start = await runtime.federatedIdentity.beginSocial();
  return { kind: 'siwf', visit: start.visit, ...(await runtime.social.sign(77, start)) };
}

/** Waits as long as the service says, and asks again. */
async function patiently<T>(runtime: Runtime, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.retryAfterMs === null) throw error;
      await runtime.clock.advance(error.retryAfterMs);
    }
  }
}

async function signIn(runtime: Runtime, way: Way): Promise<UserId> {
  return (await runtime.federatedIdentity.signIn(await prove(runtime, way), TEST_CLIENT)).userId;
}

/**
 * Lives on one disk until the power goes, at most once. Sign-in uses the machine's own
 * cryptography, so its time is not the virtual clock's.
 */
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
    disk.store = disk.store.crash({ keptCommits: cut.at === 'after-commit-kept' ? 1 : 0 });
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
  const steps: readonly ((runtime: Runtime) => Promise<unknown>)[] = [
    async (runtime) => users.push(await signIn(runtime, first)),
    async (runtime) => runtime.accounts.setUsername(await signIn(runtime, first), 'ana'),
    async (runtime) => {
      const userId = await signIn(runtime, first);
      await runtime.federatedIdentity.link(
        { userId, authenticatedAtMs: clock.nowMs() },
        await prove(runtime, second),
        TEST_CLIENT,
      );
    },
    async (runtime) => users.push(await signIn(runtime, second)),
  ];
  let lives = 0;
  const begin = async (): Promise<Runtime> => {
    lives += 1;
    const own = disk.store;
    const runtime = await openRuntime({
      store: own,
      clock,
      google,
      world: reachableWhile(() => own === disk.store, world),
      seed: lives,
    });
    await runtime.accounts.recover();
    return runtime;
  };
  /** True when the power went meanwhile; failures of a dead process do not count. */
  const diedDuring = async (work: Promise<unknown>): Promise<boolean> => {
    const { isCut } = disk;
    const went = new Promise<void>((resolve) => (disk.powerWent = resolve));
    await Promise.race([work, went]).catch((error: unknown) => {
      if (disk.isCut === isCut) throw error;
    });
    work.catch(() => undefined);
    return disk.isCut !== isCut;
  };
  const start = async (): Promise<Runtime> => {
    for (;;) {
      const runtime = begin();
      if (!(await diedDuring(runtime))) return runtime;
    }
  };
  let runtime = await start();
  for (const step of steps) {
    while (await diedDuring(step(runtime))) {
      runtime.accounts.stop();
      runtime = await start();
    }
  }
  await clock.advance(120_000);
  const [userId] = users;
  if (userId === undefined) throw new Error('no user signed in');
  const { account, username, phoneMasked, identities } = runtime.accounts.profile(userId);
  const ways = [...runtime.store.range(USER_PHONES), ...runtime.store.range(USER_IDENTITIES)].map(
    ({ value }) => value.userId === userId,
  );
  return {
    moments,
    lives,
    end: {
      isOne: new Set(users).size === 1,
      users: runtime.store.range(USERS).length,
      ways,
      granted: world.state.granted.length,
      account,
      username,
      phoneMasked,
      identities,
      hasKey: runtime.vault.has(userId),
    },
  };
}

describe('signing in through a power failure', () => {
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
      for (const cut of sampled(`${first}, then ${second}`, cutPoints(whole.moments), 12)) {
        const { lives, end } = await live(first, second, cut);
        expect([cut, lives, end]).toEqual([cut, 2, whole.end]);
      }
    },
  );
});
