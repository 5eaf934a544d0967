import { beforeEach, describe, expect, it } from 'vitest';
import { privateKeyToAddress } from 'viem/accounts';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { EXPORT } from '../../../config/limits/key.ts';
import { SIGN_IN } from '../../../config/limits.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { KEY_EXPORTS } from '../../../src/services/keys/key-export.ts';
import { TEST_CLIENT } from '../../../src/services/sign-in/client.ts';
import { openRuntime } from '../sign-in/identity-runtime.ts';

const PHONE = '+14155552671';
const CLIENT = { address: '203.0.113.7', program: 'a browser' };
const HOUR_MS = 3_600_000;
type Runtime = Awaited<ReturnType<typeof openRuntime<MemoryStore>>>;
let runtime: Runtime;
let userId: UserId;

beforeEach(async () => {
  runtime = await openRuntime();
  userId = await signIn(PHONE);
});

async function signIn(phone: string): Promise<UserId> {
  const { challengeId } = await runtime.sessions.requestCode(phone);
  return (await runtime.sessions.verifyCode(challengeId, newestCode())).userId;
}

function newestCode(): string {
  return runtime.sent.at(-1)?.code ?? '';
}

/** Asks for a code and gives what the user shows then. */
async function aProof(change: { readonly wallet?: 'evm' | 'solana'; readonly who?: UserId } = {}) {
  const { challengeId } = await runtime.keyExport.requestCode(change.who ?? userId, CLIENT);
  return { wallet: change.wallet ?? 'evm', challengeId, code: newestCode() } as const;
}

function wrong(code: string): string {
  return `${code.slice(0, 5)}${(Number(code[5]) + 1) % 10}`;
}

function auditTrail() {
  return runtime.entries.flatMap(({ event }) =>
    event.type === 'audit.recorded' && event.action.startsWith('key_')
      ? [[event.userId, event.action, event.subject, event.detail, event.origin]]
      : [],
  );
}

describe('exporting a private key', () => {
  it("gives each wallet's key for a fresh code of its own, with a line in the trail that says which, and whence", async () => {
    const { wallets } = runtime.accounts.profile(userId);
    const evm = await runtime.keyExport.exportKey(userId, await aProof(), CLIENT);
    const solana = await runtime.keyExport.exportKey(
      userId,
      await aProof({ wallet: 'solana' }),
      CLIENT,
    );
    expect([
      privateKeyToAddress(evm.privateKey as `0x${string}`),
      evm.address,
      evm.wallet,
      solana.address,
      solana.wallet,
    ]).toEqual([wallets.evm, wallets.evm, 'evm', wallets.solana, 'solana']);
    expect(solana.privateKey).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
    const origin = runtime.digests.digest('address', CLIENT.address);
    expect(auditTrail()).toEqual([
      [userId, 'key_export_asked', '+1••••••2671', null, origin],
      [userId, 'key_exported', 'evm', wallets.evm, origin],
      [userId, 'key_export_asked', '+1••••••2671', null, origin],
      [userId, 'key_exported', 'solana', wallets.solana, origin],
    ]);
    for (const secret of [evm.privateKey, solana.privateKey])
      expect(JSON.stringify([runtime.entries, runtime.log])).not.toContain(secret.slice(2, 20));
  });

  it('takes a code once: again, or twice at the same moment, it opens nothing more', async () => {
    const proof = await aProof();
    const answers = await Promise.allSettled(
      Array.from({ length: 3 }, () => runtime.keyExport.exportKey(userId, proof, CLIENT)),
    );
    expect(
      answers
        .map((answer) => (answer.status === 'fulfilled' ? answer.value.wallet : answer.reason.code))
        .sort(),
    ).toEqual(['code_expired', 'code_expired', 'evm']);
    await expect(runtime.keyExport.exportKey(userId, proof, CLIENT)).rejects.toMatchObject({
      code: 'code_expired',
    });
    expect(auditTrail().map(([, action, subject]) => [action, subject])).toEqual([
      ['key_export_asked', '+1••••••2671'],
      ['key_exported', 'evm'],
      ['key_export_refused', 'code_expired'],
      ['key_export_refused', 'code_expired'],
      ['key_export_refused', 'code_expired'],
    ]);
  });

  it('is refused without a code, with a wrong one, and with a stale one, each with a line in the trail', async () => {
    const proof = await aProof();
    await expect(
      runtime.keyExport.exportKey(userId, { ...proof, code: null }, CLIENT),
    ).rejects.toMatchObject({ code: 'code_required' });
    await expect(
      runtime.keyExport.exportKey(userId, { ...proof, challengeId: null }, CLIENT),
    ).rejects.toMatchObject({ code: 'code_required' });
    await expect(
      runtime.keyExport.exportKey(userId, { ...proof, code: wrong(proof.code) }, CLIENT),
    ).rejects.toMatchObject({ code: 'code_invalid', message: 'wrong code, 4 attempts left' });
    await runtime.clock.advance(SIGN_IN.codeLifeMs);
    await expect(runtime.keyExport.exportKey(userId, proof, CLIENT)).rejects.toMatchObject({
      code: 'code_expired',
    });
    expect(
      auditTrail()
        .slice(1)
        .map(([, action, subject]) => [action, subject]),
    ).toEqual([
      ['key_export_refused', 'code_required'],
      ['key_export_refused', 'code_required'],
      ['key_export_refused', 'code_invalid'],
      ['key_export_refused', 'code_expired'],
    ]);
  });

  it('is closed to guesses after the tries of a code, the right one included', async () => {
    const proof = await aProof();
    for (let attempt = 1; attempt < SIGN_IN.attemptsPerCode; attempt += 1) {
      await expect(
        runtime.keyExport.exportKey(userId, { ...proof, code: wrong(proof.code) }, CLIENT),
      ).rejects.toMatchObject({ code: 'code_invalid' });
    }
    await expect(
      runtime.keyExport.exportKey(userId, { ...proof, code: wrong(proof.code) }, CLIENT),
    ).rejects.toMatchObject({ code: 'too_many_attempts' });
    await expect(runtime.keyExport.exportKey(userId, proof, CLIENT)).rejects.toMatchObject({
      code: 'too_many_attempts',
    });
  });

  it('takes no code for signing in, none of another user, and its own code does not sign in', async () => {
    const bea = await signIn('+14155552672');
    await runtime.clock.advance(HOUR_MS);
    const signInCode = {
      wallet: 'evm',
      challengeId: (await runtime.sessions.requestCode(PHONE)).challengeId,
      code: newestCode(),
    } as const;
    await expect(runtime.keyExport.exportKey(userId, signInCode, CLIENT)).rejects.toMatchObject({
      code: 'code_expired',
    });
    await runtime.clock.advance(HOUR_MS);
    const ofBea = await aProof({ who: bea });
    await expect(runtime.keyExport.exportKey(userId, ofBea, CLIENT)).rejects.toMatchObject({
      code: 'code_expired',
    });
    await expect(runtime.sessions.verifyCode(ofBea.challengeId, ofBea.code)).rejects.toMatchObject({
      code: 'code_expired',
    });
    expect((await runtime.keyExport.exportKey(bea, ofBea, CLIENT)).address).toBe(
      runtime.accounts.profile(bea).wallets.evm,
    );
  });

  it('is limited by hour and day, before a text is sent, and across a restart', async () => {
    for (let count = 0; count < EXPORT.perHour; count += 1)
      await runtime.keyExport.exportKey(userId, await aProof(), CLIENT);
    const texts = runtime.sent.length;
    await expect(runtime.keyExport.requestCode(userId, CLIENT)).rejects.toMatchObject({
      code: 'too_many_attempts',
      retryAfterMs: HOUR_MS,
    });
    expect(runtime.sent.length).toBe(texts);
    await runtime.clock.advance(HOUR_MS);
    await runtime.keyExport.exportKey(userId, await aProof(), CLIENT);
    const after = await openRuntime({
      store: runtime.store.crash(),
      world: runtime.world,
      seed: 2,
      nowMs: runtime.clock.nowMs(),
    });
    await after.accounts.recover();
    await expect(after.keyExport.requestCode(userId, CLIENT)).rejects.toMatchObject({
      code: 'too_many_attempts',
      retryAfterMs: 23 * HOUR_MS,
    });
  });

  it('counts in the change that uses the code up: exports that overtake each other stay within the limit', async () => {
    const proof = await aProof();
    const full = { atMs: Array.from({ length: EXPORT.perDay }, () => runtime.clock.nowMs()) };
    const answer = runtime.keyExport.exportKey(userId, proof, CLIENT);
    const [refused] = await Promise.allSettled([
      answer,
      runtime.store.write((tx) => tx.put(KEY_EXPORTS, [userId], full)),
    ]);
    expect([refused, runtime.store.get(KEY_EXPORTS, [userId])?.value]).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'too_many_attempts' }) },
      full,
    ]);
  });

  it('asks a user who has no phone to add one', async () => {
    const start = await runtime.federatedIdentity.beginSocial();
    const { userId: cal } = await runtime.federatedIdentity.signIn(
      { kind: 'siwf', visit: start.visit, ...(await runtime.social.sign(1, start)) },
      TEST_CLIENT,
    );
    await expect(runtime.keyExport.requestCode(cal, CLIENT)).rejects.toMatchObject({
      code: 'phone_required',
    });
  });
});
