import { createPublicKey, verify } from 'node:crypto';
import { getBase58Encoder } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { createIdentityCheck } from '../../../src/venues/venue-b/identity.ts';
import { T0 } from '../../support/builders.ts';
import { vaultWith } from '../../support/known-keys.ts';
import { aWire } from './wire.ts';

const USER = asId<UserId>('usr_ada');
const bytesOf = (text: string) => new Uint8Array(getBase58Encoder().encode(text));
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

async function begin() {
  const vault = await vaultWith(await loadKeccak(), USER, `0x${'11'.repeat(32)}`);
  const address = vault.solanaAddressOf(USER);
  const path = `/verify/${address}`;
  const wire = aWire({ [path]: { verified: false } });
  const kept = new Set<string>();
  const check = createIdentityCheck({
    ...wire,
    vault,
    verified: { has: (wallet) => kept.has(wallet), keep: async (wallet) => void kept.add(wallet) },
    proofPageUrl: 'https://dflow.test/proof',
    returnUrl: 'https://app.test/?wallet=x',
    wallClock: wire.clock,
  });
  return { ...wire, check, address, path, kept };
}

describe("who venue_b's users are", () => {
  it('is asked again while the venue does not know, and never again once it does', async () => {
    const { check, answers, asked, path, kept, address } = await begin();
    expect([await check.isVerified(USER), await check.isVerified(USER)]).toEqual([false, false]);
    answers[path] = { verified: true };
    expect([await check.isVerified(USER), await check.isVerified(USER)]).toEqual([true, true]);
    expect([asked.length, [...kept]]).toEqual([3, [address]]);
  });

  it('is proven on a page whose address the wallet signs for the moment', async () => {
    const { check, address } = await begin();
    const url = new URL(await check.link(USER));
    const {
      wallet,
      signature = '',
      timestamp,
      redirect_uri,
    } = Object.fromEntries(url.searchParams);
    expect([url.origin + url.pathname, wallet, timestamp, redirect_uri]).toEqual([
      'https://dflow.test/proof',
      address,
      String(T0),
      'https://app.test/?wallet=x',
    ]);
    const key = createPublicKey({
      key: Buffer.concat([SPKI, bytesOf(address)]),
      format: 'der',
      type: 'spki',
    });
    const message = Buffer.from(`Proof KYC verification: ${timestamp}`);
    expect(verify(null, message, key, bytesOf(signature))).toBe(true);
  });

  it('is not guessed from an answer of another shape', async () => {
    const { check, answers, path } = await begin();
    answers[path] = { verified: 'yes' };
    await expect(check.isVerified(USER)).rejects.toMatchObject({ code: 'venue_protocol' });
  });
});
