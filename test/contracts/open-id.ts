import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenIdProvider, OpenIdAttempt } from '../../src/ports/open-id.ts';

/** A provider under test, and a user with a browser. */
export interface OpenIdUnderTest {
  readonly provider: OpenIdProvider;
  /**
   * Goes to the provider as the owner of the address and gives where the browser was sent back to.
   */
  visit(url: string, email: string): Promise<string>;
  end(): Promise<void>;
}

const VISIT: OpenIdAttempt = {
  state: 's'.repeat(43),
  nonce: 'n'.repeat(43),
  verifier: 'v'.repeat(43),
};

/** What every provider behind the OpenID port must do. */
export function describeOpenId(name: string, open: () => Promise<OpenIdUnderTest>): void {
  describe(`the OpenID port on ${name}`, () => {
    let under: OpenIdUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.end());
    const comeBack = async (email = 'ana@example.org', visit = VISIT): Promise<string> =>
      under.visit(await under.provider.begin(visit), email);

    it('tells who came, by a name that stays theirs, and their verified address', async () => {
      const first = await under.provider.finish(await comeBack(), VISIT);
      const again = await under.provider.finish(await comeBack(), VISIT);
      const other = await under.provider.finish(await comeBack('bob@example.org'), VISIT);
      expect([
        first.email,
        again.subject === first.subject,
        other.subject === first.subject,
        other.email,
      ]).toEqual(['ana@example.org', true, false, 'bob@example.org']);
    });

    it('carries the state through, and keeps nonce and verifier out of the way back', async () => {
      const back = await comeBack();
      expect([
        new URL(back).searchParams.get('state'),
        back.includes(VISIT.nonce),
        back.includes(VISIT.verifier),
      ]).toEqual([VISIT.state, false, false]);
    });

    it('takes a way back once', async () => {
      const back = await comeBack();
      await under.provider.finish(back, VISIT);
      await expect(under.provider.finish(back, VISIT)).rejects.toMatchObject({
        code: 'sign_in_refused',
      });
    });

    it.each(['state', 'nonce', 'verifier'] as const)(
      'refuses a way back that was begun with another %s',
      async (field) => {
        const back = await comeBack();
        await expect(
          under.provider.finish(back, { ...VISIT, [field]: 'x'.repeat(43) }),
        ).rejects.toMatchObject({ code: 'sign_in_refused' });
      },
    );

    it.each([
      ['without a code', '?state=STATE'],
      ['with a code that was not given', '?state=STATE&code=abc'],
      ['that says no', '?state=STATE&error=access_denied'],
      ['without anything', ''],
    ])('refuses a way back %s', async (_what, query) => {
      const back = await comeBack();
      const faulty = `${back.slice(0, back.indexOf('?'))}${query.replace('STATE', VISIT.state)}`;
      await expect(under.provider.finish(faulty, VISIT)).rejects.toMatchObject({
        code: 'sign_in_refused',
      });
    });
  });
}
