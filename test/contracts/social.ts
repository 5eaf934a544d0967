import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignedMessage, SocialLogin } from '../../src/ports/social.ts';

/** What a person's phone is asked to sign. */
interface Asked {
  readonly domain: string;
  readonly uri: string;
  readonly nonce: string;
}

/** A social login under test, and its people. */
export interface SocialUnderTest {
  readonly login: SocialLogin;
  nowMs(): number;
  /** Signs as the identity, by its custody address or by one that it registered for signing in. */
  sign(fid: number, asked: Asked, role: 'custody' | 'authAddress'): Promise<SignedMessage>;
  end(): Promise<void>;
}

const ASKED: Asked = {
  domain: 'predictd.example',
  uri: 'https://predictd.example/sign-in',
  nonce: 'k3j4h5g6f7d8s9a0q',
};

/** What every social login behind the port must do. */
export function describeSocial(name: string, open: () => Promise<SocialUnderTest>): void {
  describe(`the social login on ${name}`, () => {
    let under: SocialUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.end());
    const verify = (
      signed: SignedMessage,
      terms: Partial<Asked> & { readonly laterMs?: number } = {},
    ): Promise<string> => {
      const { laterMs = 0, ...asked } = terms;
      return under.login.verify(signed, { ...ASKED, ...asked, nowMs: under.nowMs() + laterMs });
    };

    it.each(['custody', 'authAddress'] as const)(
      'knows a person who signs by the %s address',
      async (role) => {
        expect(await verify(await under.sign(77, ASKED, role))).toBe('77');
      },
    );

    it.each([
      ['another domain', { domain: 'predictd.example.evil.example' }],
      ['another page', { uri: 'https://predictd.example/' }],
      ['an old nonce', { nonce: 'a1b2c3d4e5f6g7h8i' }],
    ])('refuses a message that was signed for %s', async (_what, other) => {
      await expect(
        verify(await under.sign(77, { ...ASKED, ...other }, 'custody')),
      ).rejects.toMatchObject({ code: 'sign_in_refused' });
    });

    it('refuses a message that has expired', async () => {
      await expect(
        verify(await under.sign(77, ASKED, 'custody'), { laterMs: 3_600_000 }),
      ).rejects.toMatchObject({ code: 'sign_in_refused' });
    });

    it('refuses a message that was signed in the future', async () => {
      await expect(
        verify(await under.sign(77, ASKED, 'custody'), { laterMs: -3_600_000 }),
      ).rejects.toMatchObject({ code: 'sign_in_refused' });
    });

    it('refuses the signature of another person, and a message that names another', async () => {
      const [mine, theirs] = [
        await under.sign(77, ASKED, 'custody'),
        await under.sign(78, ASKED, 'custody'),
      ];
      await expect(verify({ ...mine, signature: theirs.signature })).rejects.toMatchObject({
        code: 'sign_in_refused',
      });
      await expect(
        verify({ ...mine, message: mine.message.replace('fid/77', 'fid/78') }),
      ).rejects.toMatchObject({ code: 'sign_in_refused' });
    });
  });
}
