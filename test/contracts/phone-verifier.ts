import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PhoneVerifier } from '../../src/ports/phone-verifier.ts';

/** A verifier under test, and the levers of its world. */
export interface VerifierUnderTest {
  readonly verifier: PhoneVerifier;
  /** The last code that was brought to a phone. */
  codeFor(phone: string): string;
  /** Moves the verifier's time on. */
  advance(ms: number): Promise<void>;
  end(): Promise<void>;
}

const PHONE = '+14155552671';
const OTHER = '+14155552672';
const wrong = (code: string): string => (code === '000000' ? '000001' : '000000');

/** What every sender and judge of codes behind the port must do. */
export function describePhoneVerifier(name: string, open: () => Promise<VerifierUnderTest>): void {
  describe(`the phone verifier on ${name}`, () => {
    let under: VerifierUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.end());
    const check = (reference: string, code: string, phone = PHONE): Promise<string> =>
      under.verifier.check({ phone, reference, code });

    it('brings six digits to the phone, and finds them right', async () => {
      const reference = await under.verifier.send(PHONE, null);
      expect([under.codeFor(PHONE), await check(reference, under.codeFor(PHONE))]).toEqual([
        expect.stringMatching(/^\d{6}$/),
        'right',
      ]);
    });

    it('finds another code wrong, and the right one right after it', async () => {
      const reference = await under.verifier.send(PHONE, null);
      expect([
        await check(reference, wrong(under.codeFor(PHONE))),
        await check(reference, under.codeFor(PHONE)),
      ]).toEqual(['wrong', 'right']);
    });

    it('gives references that tell nothing of the code', async () => {
      const reference = await under.verifier.send(PHONE, null);
      expect(reference).not.toContain(under.codeFor(PHONE));
    });

    it('does not take the code of one phone for that of another', async () => {
      const mine = await under.verifier.send(PHONE, null);
      await under.verifier.send(OTHER, null);
      const theirs = under.codeFor(OTHER);
      expect([theirs === under.codeFor(PHONE), await check(mine, theirs)]).toEqual([
        false,
        'wrong',
      ]);
    });

    it('sends a fresh code when it replaces one', async () => {
      const earlier = await under.verifier.send(PHONE, null);
      const first = under.codeFor(PHONE);
      const later = await under.verifier.send(PHONE, earlier);
      expect([
        under.codeFor(PHONE) === first,
        await check(later, first),
        await check(later, under.codeFor(PHONE)),
      ]).toEqual([false, 'wrong', 'right']);
    });

    it('finds a code of ten minutes ago gone', async () => {
      const reference = await under.verifier.send(PHONE, null);
      await under.advance(600_000);
      expect(await check(reference, under.codeFor(PHONE))).toBe('expired');
    });
  });
}
