import { useState } from 'react';
import { call } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';
import { session } from '../api/session.ts';
import { PhoneForm } from '../pages/sign-in/phone-form.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemNote } from '../ui/state.tsx';

/**
 * How a press was refused, with what can be done: asking again where no answer came, and a fresh
 * sign-in in front of the page, which keeps what was typed.
 */
export function Refusal({
  problem,
  what,
  fields = [],
  onSignedIn,
}: {
  readonly problem: Problem | null;
  /** What stays the same when it is asked for again: "transfer". */
  readonly what: string;
  /** Fields of the form that show their own fault, by their names in the body. */
  readonly fields?: readonly string[];
  onSignedIn?(): void;
}) {
  const [isSigningIn, setSigningIn] = useState(false);
  if (problem === null) return null;
  if (problem.isOutcomeUnknown)
    return (
      <p className="warn" role="alert">
        No answer came. Press again to ask: it stays the same {what}.
      </p>
    );
  return (
    <>
      <ProblemNote problem={problem} fields={fields} />
      {problem.code === 'fresh_sign_in_required' ? (
        <Button isWide onClick={() => setSigningIn(true)}>
          Sign in again, and stay here
        </Button>
      ) : null}
      {isSigningIn ? (
        <Dialog
          title="Sign in again"
          onClose={() => setSigningIn(false)}
          actions={
            <>
              <Button onClick={() => setSigningIn(false)}>Not now</Button>
              <Button onClick={() => void session.signOut()}>Sign out and in another way</Button>
            </>
          }
        >
          <PhoneForm
            action="Sign in"
            onCode={async (proof) => {
              session.signedIn(
                await call('POST /api/auth/otp/verify', { body: { ...proof, tokenIn: 'cookie' } }),
              );
              setSigningIn(false);
              onSignedIn?.();
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
}
