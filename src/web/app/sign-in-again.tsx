import { useState } from 'react';
import { call } from '../api/client.ts';
import { useCodeAttempt } from '../api/code-attempt.ts';
import { useRead } from '../api/query.ts';
import { session } from '../api/session.ts';
import { countdown } from '../format/time.ts';
import { Button } from '../ui/button.tsx';
import { CodeField, whyNoCode } from '../ui/code-field.tsx';
import { ProblemNote, Read } from '../ui/state.tsx';
import { useNow } from './now.ts';

interface Challenge {
  readonly challengeId: string;
  readonly resendAtMs: number;
}

/** A fresh sign-in of the user who is signed in, by a code to their own phone and to no other. */
export function SignInAgain({ onSignedIn }: { onSignedIn(): void }) {
  const profile = useRead('GET /api/user/profile', {});
  return (
    <Read of={profile} lines={2}>
      {({ phone, username }) =>
        phone === null ? (
          <p>
            There is no phone in your account to send a code to. Sign out, and sign in again in the
            way you did.
          </p>
        ) : (
          <ByOwnPhone phone={phone} username={username} onSignedIn={onSignedIn} />
        )
      }
    </Read>
  );
}

function ByOwnPhone({
  phone,
  username,
  onSignedIn,
}: {
  /** Masked: which of one's phones it is. */
  readonly phone: string;
  readonly username: string | null;
  onSignedIn(): void;
}) {
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [code, setCode] = useState('');
  const { isBusy, problem, make, makeWith } = useCodeAttempt();
  const nowMs = useNow();
  const request = () => make(async () => setChallenge(await call('POST /api/auth/again/code', {})));
  const verify = async (digits: string): Promise<void> => {
    if (challenge === null) return;
    const { challengeId } = challenge;
    await makeWith(challengeId, digits, async () => {
      session.signedIn(
        await call('POST /api/auth/again', {
          body: { challengeId, code: digits, tokenIn: 'cookie' },
        }),
      );
      onSignedIn();
    });
  };
  return (
    <form
      style={{ display: 'grid', gap: 12 }}
      onSubmit={(event) => {
        event.preventDefault();
        void (challenge === null ? request() : verify(code));
      }}
    >
      <p>
        {username === null ? 'This needs' : `${username}, this needs`} a fresh sign-in. The code
        goes to your phone <strong>{phone}</strong>.
      </p>
      {challenge === null ? null : (
        <CodeField
          value={code}
          fault={problem?.faultOf('code') ?? null}
          onChange={(digits) => {
            setCode(digits);
            if (digits.length === 6) void verify(digits);
          }}
        />
      )}
      <Button
        variant="primary"
        type="submit"
        isWide
        isBusy={isBusy}
        blocked={challenge === null ? null : whyNoCode(code)}
      >
        {challenge === null ? 'Send me a code' : 'Sign in'}
      </Button>
      {challenge === null ? null : (
        <Button disabled={nowMs < challenge.resendAtMs} onClick={() => void request()}>
          {nowMs < challenge.resendAtMs
            ? `Send another code in ${countdown(challenge.resendAtMs - nowMs)}`
            : 'Send another code'}
        </Button>
      )}
      {problem === null || problem.faults.length > 0 ? null : <ProblemNote problem={problem} />}
    </form>
  );
}
