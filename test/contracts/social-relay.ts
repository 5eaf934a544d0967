import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SocialRelay } from '../../src/ports/social.ts';

/** A relay under test, and the telephones that open its links. */
export interface RelayUnderTest {
  readonly relay: SocialRelay;
  approve(link: string, fid: number): Promise<void>;
  end(): Promise<void>;
}

const TERMS = {
  domain: 'predictd.example',
  uri: 'https://predictd.example/sign-in/social',
  nonce: 'k3j4h5g6f7d8s9a0q',
};

/** What every relay behind the port must do. */
export function describeSocialRelay(name: string, open: () => Promise<RelayUnderTest>): void {
  describe(`the relay of the social protocol on ${name}`, () => {
    let under: RelayUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.end());

    it('gives nothing until it is signed, then what was signed, as often as asked', async () => {
      const { token, link } = await under.relay.open(TERMS);
      expect(await under.relay.signed(token)).toBeNull();
      await under.approve(link, 77);
      const signed = await under.relay.signed(token);
      expect(signed?.message).toContain(`Nonce: ${TERMS.nonce}`);
      expect(signed?.message).toContain('farcaster://fid/77');
      expect(signed?.signature).toMatch(/^0x[0-9a-f]{130}$/);
      expect(await under.relay.signed(token)).toEqual(signed);
    });

    it('keeps two requests apart', async () => {
      const [one, other] = [await under.relay.open(TERMS), await under.relay.open(TERMS)];
      await under.approve(one.link, 77);
      expect(await under.relay.signed(other.token)).toBeNull();
    });

    it('says that a request it does not know is over', async () => {
      await expect(under.relay.signed('NO-SUCH-CHANNEL')).rejects.toMatchObject({
        code: 'code_expired',
      });
    });
  });
}
