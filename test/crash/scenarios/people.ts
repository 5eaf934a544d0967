import { AppError, assert } from '../../../src/domain/errors.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { TEST_CLIENT } from '../../../src/services/sign-in/client.ts';
import type { Proof } from '../../../src/services/sign-in/federated-identity.ts';
import { openPeopleStage, type PeopleLife, type PeopleStage } from './people-stage.ts';
import { scenario, type CrashScenario, type Step } from './scenario.ts';

type Way = Proof['kind'];

const PHONE = '+14155552671';
const SETTLES_MS = 120_000;

function people(
  family: string,
): (name: string, steps: (stage: PeopleStage) => readonly Step<PeopleLife>[]) => CrashScenario {
  return (name, steps) =>
    scenario<PeopleLife, PeopleStage>(name, {
      family,
      open: openPeopleStage,
      steps: (stage) => [...steps(stage), settles(stage)],
    });
}

/** What goes on by itself comes to its end. */
function settles({ clock }: PeopleStage): Step<PeopleLife> {
  return () => clock.advance(SETTLES_MS);
}

/** Waits as long as the service says, and asks again. */
async function patiently<T>({ clock }: PeopleStage, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.retryAfterMs === null) throw error;
      await clock.advance(error.retryAfterMs);
    }
  }
}

/** What the person brings: begun anew each time, as a user does whose answer was lost. */
async function prove(stage: PeopleStage, life: PeopleLife, way: Way): Promise<Proof> {
  if (way === 'phone') {
    const { challengeId } = await patiently(stage, () => life.sessions.requestCode(PHONE));
    return { kind: 'phone', challengeId, code: life.sent.at(-1)?.code ?? '' };
  }
  if (way === 'google') {
    const { visit, url } = await life.federatedIdentity.beginGoogle();
    return {
      kind: 'google',
      visit,
      returnedTo: life.google.visit(url, { subject: '1'.repeat(21), email: 'ana@example.org' }),
    };
  }
  const start = await life.federatedIdentity.beginSocial();
  return { kind: 'siwf', visit: start.visit, ...(await life.social.sign(77, start)) };
}

async function enter(stage: PeopleStage, life: PeopleLife, way: Way) {
  const signedIn = await life.federatedIdentity.signIn(await prove(stage, life, way), TEST_CLIENT);
  stage.seen.push(signedIn.userId);
  return signedIn;
}

const signIn =
  (stage: PeopleStage, way: Way): Step<PeopleLife> =>
  (life) =>
    enter(stage, life, way);

function whoIs({ seen }: PeopleStage): UserId {
  const userId = seen.at(-1);
  assert(userId !== undefined, 'a user has signed in');
  return userId;
}

const signUp = people('sign-up');
const keys = people('keys');

function joined(first: Way, second: Way): CrashScenario {
  return signUp(`${first}-joined-by-${second}`, (stage) => [
    signIn(stage, first),
    async (life) => life.accounts.setUsername((await enter(stage, life, first)).userId, 'ana'),
    async (life) => {
      const { userId } = await enter(stage, life, first);
      await life.federatedIdentity.link(
        { userId, authenticatedAtMs: stage.clock.nowMs() },
        await prove(stage, life, second),
        TEST_CLIENT,
      );
    },
    signIn(stage, second),
  ]);
}

/** People who come for the first time, take a name and another way in, stay signed in and leave. */
const SIGN_UP_SCENARIOS: readonly CrashScenario[] = [
  joined('phone', 'google'),
  joined('google', 'siwf'),
  joined('siwf', 'phone'),
  signUp('signed-in-and-out', (stage) => [
    async (life) => stage.notes.set('refresh', (await enter(stage, life, 'phone')).refreshToken),
    // A refresh token is good for one use: a user whose answer was lost with the process signs in
    // anew.
    async (life) => {
      const { refreshToken } = await life.sessions
        .refresh(stage.notes.get('refresh') ?? '')
        .catch(() => enter(stage, life, 'phone'));
      stage.notes.set('refresh', refreshToken);
    },
    async (life) => {
      const { accessToken } = await enter(stage, life, 'phone');
      await life.sessions.logout((await life.sessions.authenticate(accessToken)).sessionId);
    },
  ]),
];

/** Keys for programs, and a person's own key on its way out. */
const KEY_SCENARIOS: readonly CrashScenario[] = [
  keys('api-key-made-used-revoked', (stage) => [
    signIn(stage, 'phone'),
    async (life) => {
      // Whoever lost the answer sees in the list that the key is there, and takes another name for
      // the next.
      if (life.apiKeys.list(whoIs(stage)).length === 0)
        await life.apiKeys.create(
          { userId: whoIs(stage), authenticatedAtMs: stage.clock.nowMs() },
          { name: 'bot', scopes: ['read'] },
        );
    },
    async (life) => {
      for (const { keyId } of life.apiKeys.list(whoIs(stage)))
        await life.apiKeys.revoke(whoIs(stage), keyId);
    },
  ]),
  keys('api-key-removed', (stage) => [
    signIn(stage, 'google'),
    async (life) => {
      if (life.apiKeys.list(whoIs(stage)).length === 0)
        await life.apiKeys.create(
          { userId: whoIs(stage), authenticatedAtMs: stage.clock.nowMs() },
          { name: 'bot', scopes: ['read', 'trade'] },
        );
    },
    async (life) => {
      for (const { keyId } of life.apiKeys.list(whoIs(stage))) {
        await life.apiKeys.revoke(whoIs(stage), keyId);
        await life.apiKeys.remove(whoIs(stage), keyId);
      }
    },
  ]),
  keys('private-key-exported', (stage) => [
    signIn(stage, 'phone'),
    async (life) => {
      const { challengeId } = await patiently(stage, () =>
        life.keyExport.requestCode(whoIs(stage), TEST_CLIENT),
      );
      await life.keyExport.exportKey(
        whoIs(stage),
        { wallet: 'evm', challengeId, code: life.sent.at(-1)?.code ?? '' },
        TEST_CLIENT,
      );
    },
  ]),
];

/** People, their sessions and their keys. */
export const PEOPLE_SCENARIOS: readonly CrashScenario[] = [...SIGN_UP_SCENARIOS, ...KEY_SCENARIOS];
