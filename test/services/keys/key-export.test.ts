import { beforeEach, describe, expect, it } from 'vitest';
import { privateKeyToAddress } from 'viem/accounts';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { EXPORT } from '../../../config/limits/key.ts';
import { SIGN_IN } from '../../../config/limits.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { KEY_EXPORTS } from '../../../src/services/keys/key-export.ts';
import { HOUSE_CLIENT } from '../../../src/services/sign-in/client.ts';
import { openHouse } from '../sign-in/identity-house.ts';

const PHONE = '+14155552671';
const CLIENT = { address: '203.0.113.7', program: 'a browser' };
const HOUR_MS = 3_600_000;
type House = Awaited<ReturnType<typeof openHouse<MemoryStore>>>;
let house: House;
let userId: UserId;

beforeEach(async () => {
  house = await openHouse();
  userId = await signIn(PHONE);
});

async function signIn(phone: string): Promise<UserId> {
  const { challengeId } = await house.sessions.requestCode(phone);
  return (await house.sessions.verifyCode(challengeId, newestCode())).userId;
}

function newestCode(): string {
  return house.sent.at(-1)?.code ?? '';
}

/** Asks for a code and gives what the user shows then. */
async function aProof(change: { readonly wallet?: 'evm' | 'solana'; readonly who?: UserId } = {}) {
  const { challengeId } = await house.keyExport.requestCode(change.who ?? userId, CLIENT);
  return { wallet: change.wallet ?? 'evm', challengeId, code: newestCode() } as const;
}

function wrong(code: string): string {
  return `${code.slice(0, 5)}${(Number(code[5]) + 1) % 10}`;
}

function auditTrail() {
  return house.entries.flatMap(({ event }) =>
    event.type === 'audit.recorded' && event.action.startsWith('key_')
      ? [[event.userId, event.action, event.subject, event.detail, event.origin]]
      : [],
  );
}

describe('exporting a private key', () => {
  it("gives each wallet's key for a fresh code of its own, with a line in the trail that says which, and whence", async () => {
    const { wallets } = house.accounts.profile(userId);
    const evm = await house.keyExport.exportKey(userId, await aProof(), CLIENT);
    const solana = await house.keyExport.exportKey(
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
    const origin = house.digests.digest('address', CLIENT.address);
    expect(auditTrail()).toEqual([
      [userId, 'key_export_asked', '+1••••••2671', null, origin],
      [userId, 'key_exported', 'evm', wallets.evm, origin],
      [userId, 'key_export_asked', '+1••••••2671', null, origin],
      [userId, 'key_exported', 'solana', wallets.solana, origin],
    ]);
    for (const secret of [evm.privateKey, solana.privateKey])
      expect(JSON.stringify([house.entries, house.log])).not.toContain(secret.slice(2, 20));
  });

  it('takes a code once: again, or twice at the same moment, it opens nothing more', async () => {
    const proof = await aProof();
    const answers = await Promise.allSettled(
      Array.from({ length: 3 }, () => house.keyExport.exportKey(userId, proof, CLIENT)),
    );
    expect(
      answers
        .map((answer) => (answer.status === 'fulfilled' ? answer.value.wallet : answer.reason.code))
        .sort(),
    ).toEqual(['code_expired', 'code_expired', 'evm']);
    await expect(house.keyExport.exportKey(userId, proof, CLIENT)).rejects.toMatchObject({
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
      house.keyExport.exportKey(userId, { ...proof, code: null }, CLIENT),
    ).rejects.toMatchObject({ code: 'code_required' });
    await expect(
      house.keyExport.exportKey(userId, { ...proof, challengeId: null }, CLIENT),
    ).rejects.toMatchObject({ code: 'code_required' });
    await expect(
      house.keyExport.exportKey(userId, { ...proof, code: wrong(proof.code) }, CLIENT),
    ).rejects.toMatchObject({ code: 'code_invalid', message: 'wrong code, 4 attempts left' });
    await house.clock.advance(SIGN_IN.codeLifeMs);
    await expect(house.keyExport.exportKey(userId, proof, CLIENT)).rejects.toMatchObject({
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
        house.keyExport.exportKey(userId, { ...proof, code: wrong(proof.code) }, CLIENT),
      ).rejects.toMatchObject({ code: 'code_invalid' });
    }
    await expect(
      house.keyExport.exportKey(userId, { ...proof, code: wrong(proof.code) }, CLIENT),
    ).rejects.toMatchObject({ code: 'too_many_attempts' });
    await expect(house.keyExport.exportKey(userId, proof, CLIENT)).rejects.toMatchObject({
      code: 'too_many_attempts',
    });
  });

  it('takes no code for signing in, none of another user, and its own code signs nobody in', async () => {
    const bea = await signIn('+14155552672');
    await house.clock.advance(HOUR_MS);
    const signInCode = {
      wallet: 'evm',
      challengeId: (await house.sessions.requestCode(PHONE)).challengeId,
      code: newestCode(),
    } as const;
    await expect(house.keyExport.exportKey(userId, signInCode, CLIENT)).rejects.toMatchObject({
      code: 'code_expired',
    });
    await house.clock.advance(HOUR_MS);
    const ofBea = await aProof({ who: bea });
    await expect(house.keyExport.exportKey(userId, ofBea, CLIENT)).rejects.toMatchObject({
      code: 'code_expired',
    });
    await expect(house.sessions.verifyCode(ofBea.challengeId, ofBea.code)).rejects.toMatchObject({
      code: 'code_expired',
    });
    expect((await house.keyExport.exportKey(bea, ofBea, CLIENT)).address).toBe(
      house.accounts.profile(bea).wallets.evm,
    );
  });

  it('is limited by hour and day, before a text is sent, and across a restart', async () => {
    for (let count = 0; count < EXPORT.perHour; count += 1)
      await house.keyExport.exportKey(userId, await aProof(), CLIENT);
    const texts = house.sent.length;
    await expect(house.keyExport.requestCode(userId, CLIENT)).rejects.toMatchObject({
      code: 'too_many_attempts',
      retryAfterMs: HOUR_MS,
    });
    expect(house.sent.length).toBe(texts);
    await house.clock.advance(HOUR_MS);
    await house.keyExport.exportKey(userId, await aProof(), CLIENT);
    const after = await openHouse({
      store: house.store.powerCut(),
      world: house.world,
      seed: 2,
      nowMs: house.clock.nowMs(),
    });
    await after.accounts.recover();
    await expect(after.keyExport.requestCode(userId, CLIENT)).rejects.toMatchObject({
      code: 'too_many_attempts',
      retryAfterMs: 23 * HOUR_MS,
    });
  });

  it('counts in the change that uses the code up: exports that overtake each other stay within the limit', async () => {
    const proof = await aProof();
    const full = { atMs: Array.from({ length: EXPORT.perDay }, () => house.clock.nowMs()) };
    const answer = house.keyExport.exportKey(userId, proof, CLIENT);
    const [refused] = await Promise.allSettled([
      answer,
      house.store.write((tx) => tx.put(KEY_EXPORTS, [userId], full)),
    ]);
    expect([refused, house.store.get(KEY_EXPORTS, [userId])?.value]).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'too_many_attempts' }) },
      full,
    ]);
  });

  it('asks a user who has no phone to add one', async () => {
    const start = await house.otherHouses.beginSocial();
    const { userId: cal } = await house.otherHouses.signIn(
      { kind: 'siwf', visit: start.visit, ...(await house.social.sign(1, start)) },
      HOUSE_CLIENT,
    );
    await expect(house.keyExport.requestCode(cal, CLIENT)).rejects.toMatchObject({
      code: 'phone_required',
    });
  });
});
