import { useState } from 'react';
import type { Problem } from '../api/problem.ts';
import { session } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemNote } from '../ui/state.tsx';
import { SignInAgain } from './sign-in-again.tsx';

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
  /** Goes on with what was refused. */
  onSignedIn?(): void;
}) {
  const [isSigningIn, setSigningIn] = useState(false);
  /** The refusal that a fresh sign-in has answered. */
  const [answered, setAnswered] = useState<Problem | null>(null);
  if (problem === null) return null;
  if (problem === answered)
    return onSignedIn === undefined ? <p role="status">You are signed in. Press again.</p> : null;
  const outcome = problem.outcome(what);
  return (
    <>
      {problem.status === 0 ? null : <ProblemNote problem={problem} fields={fields} />}
      {outcome === null ? null : (
        <p className="warn" role="alert">
          {outcome}
        </p>
      )}
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
          <SignInAgain
            onSignedIn={() => {
              setSigningIn(false);
              setAnswered(problem);
              onSignedIn?.();
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
}
