import { SIGN_IN } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { ProvenPerson } from './login-identities.ts';

/** Who a user has proven to be, and how, at a shard that is not theirs. */
export interface Proven {
  readonly person: ProvenPerson;
  readonly method: 'otp' | 'google' | 'siwf';
}

/** Carries a proof from the shard that has judged it to the one that has the user. */
export interface Assertions {
  write(proven: Proven): string;
  /** Errors: `token_invalid` for one that no shard has written, `token_expired`. */
  read(text: string): Proven;
}

/** What is written and signed. */
interface Assertion extends Proven {
  /** Until when it is taken, epoch ms. */
  readonly untilMs: number;
}

/** Makes assertions under the key of digests, which all shards share and no gateway has. */
export function createAssertions({
  clock,
  digests,
}: {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly digests: SecretDigests;
}): Assertions {
  return {
    write({ person, method }) {
      const untilMs = clock.nowMs() + SIGN_IN.assertionLifeMs;
      const said: Assertion = { person: withoutRest(person), method, untilMs };
      const body = Buffer.from(JSON.stringify(said)).toString('base64url');
      return `${body}.${digests.digest('assertion', body)}`;
    },
    read(text) {
      const [body = '', digest = ''] = text.split('.');
      if (!digests.same(digest, digests.digest('assertion', body)))
        throw new AppError('token_invalid', 'no shard has written this assertion');
      const { untilMs, ...proven } = JSON.parse(
        Buffer.from(body, 'base64url').toString('utf8'),
      ) as Assertion; // as a shard has written it, by its digest
      if (untilMs <= clock.nowMs())
        throw new AppError('token_expired', 'the assertion has expired; sign in again');
      return proven;
    },
  };
}

/** A challenge has more than its phone. */
function withoutRest(person: ProvenPerson): ProvenPerson {
  if (person.kind === 'identity') return person;
  const { phoneDigest, phoneMasked, phoneSealed } = person.phone;
  return { kind: 'phone', phone: { phoneDigest, phoneMasked, phoneSealed } };
}
