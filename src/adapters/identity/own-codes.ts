import { SIGN_IN } from '../../../config/limits.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { PhoneVerifier } from '../../ports/phone-verifier.ts';

/**
 * Makes and judges codes without a telephone service. The reference is the time of making, a salt
 * and a keyed digest of phone and code: a six-digit code cannot be found from it without the
 * service's key. Compares in constant time.
 */
export function createOwnCodes({
  random,
  clock,
  digests,
  deliver,
}: Pick<Runtime, 'random' | 'clock'> & {
  readonly digests: SecretDigests;
  /** Brings the code to the person: the sandbox shows it on the terminal. */
  readonly deliver: (phone: string, code: string) => Promise<void>;
}): PhoneVerifier {
  const digestOf = (madeAt: string, salt: string, phone: string, code: string): string =>
    digests.digest('code', `${madeAt}\n${salt}\n${phone}\n${code}`);
  return {
    async send(phone) {
      const code = String(random.integer(10 ** SIGN_IN.codeDigits)).padStart(
        SIGN_IN.codeDigits,
        '0',
      );
      const salt = Buffer.from(random.bytes(16)).toString('base64url');
      const madeAt = String(clock.nowMs());
      await deliver(phone, code);
      return `${madeAt}.${salt}.${digestOf(madeAt, salt, phone, code)}`;
    },
    async check({ phone, reference, code }) {
      const [madeAt = '', salt = '', digest = ''] = reference.split('.');
      if (Number(madeAt) + SIGN_IN.codeLifeMs <= clock.nowMs()) return 'expired';
      return digests.same(digest, digestOf(madeAt, salt, phone, code)) ? 'right' : 'wrong';
    },
  };
}
