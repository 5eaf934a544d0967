import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { backFromGoogle, goToGoogle } from '../../api/google.ts';
import { Problem } from '../../api/problem.ts';
import { readAgain } from '../../api/query.ts';
import { session } from '../../api/session.ts';
import { Refusal } from '../../app/refusal.tsx';
import { placeAfterSignIn, signInPath } from '../../app/return-place.ts';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemNote, Skeleton } from '../../ui/state.tsx';
import { PhoneForm } from './phone-form.tsx';
import { SocialRequest } from './social-request.tsx';
import styles from './sign-in.module.css';

/** Signs in by phone, by Google or by the social protocol. */
export function SignInPage({ wasSignedIn }: { readonly wasSignedIn: boolean }) {
  const [location] = useLocation();
  if (location === PAGES.signInGoogle) return <FinishGoogle />;
  if (location === PAGES.signInSocial) return <SignInSocial />;
  return (
    <Frame
      title={wasSignedIn ? 'Your session has ended' : 'Sign in'}
      sentence={
        location === PAGES.confirm
          ? 'Your assistant asks before it trades. Sign in to see what it asks.'
          : wasSignedIn
            ? 'It was ended elsewhere, or by time. Sign in again to go on here.'
            : 'Prediction markets as one: live books, agents, wallets.'
      }
    >
      <PhoneForm
        action="Sign in"
        onCode={async (proof) =>
          session.signedIn(
            await call('POST /api/auth/otp/verify', { body: { ...proof, tokenIn: 'cookie' } }),
          )
        }
      />
      <Others />
    </Frame>
  );
}

function Frame({
  title,
  sentence,
  children,
}: {
  readonly title: string;
  readonly sentence: string;
  readonly children: ReactNode;
}) {
  return (
    <main className={styles['place']}>
      <div className={styles['box']}>
        <div className={styles['brand']}>
          <img src="/icon.svg" alt="" />
          <h1>{title}</h1>
          <p className="muted">{sentence}</p>
        </div>
        {children}
      </div>
    </main>
  );
}

function Others() {
  const [, navigate] = useLocation();
  const here = useHere();
  const { problem, make } = useAttempt();
  return (
    <div className={styles['or']}>
      <Button isWide onClick={() => void make(() => goToGoogle('sign in', placeAfterSignIn(here)))}>
        Continue with Google
      </Button>
      <Button isWide onClick={() => navigate(signInPath(PAGES.signInSocial, here))}>
        Continue with Farcaster
      </Button>
      {problem === null ? null : <ProblemNote problem={problem} />}
    </div>
  );
}

/** Path and query of the page that is open. */
function useHere(): string {
  const [location] = useLocation();
  const search = useSearch();
  return `${location}?${search}`;
}

function SignInSocial() {
  const here = useHere();
  return (
    <Frame title="Sign in with Farcaster" sentence="Your phone signs; nothing is typed here.">
      <SocialRequest
        done="You are signed in."
        onProof={async (proof) =>
          session.signedIn(
            await call('POST /api/auth/social/finish', { body: { ...proof, tokenIn: 'cookie' } }),
          )
        }
      />
      <p className={styles['back']}>
        <Link href={signInPath(PAGES.signIn, here)} className="link">
          Sign in another way
        </Link>
      </p>
    </Frame>
  );
}

/**
 * Google sent the browser back: the address is read and cleaned before anything is shown. It signs
 * in, or adds the way in to who is signed in already.
 */
export function FinishGoogle() {
  const [, navigate] = useLocation();
  const [refused, setRefused] = useState<{
    readonly problem: Problem;
    retry(this: void): void;
  } | null>(null);
  useEffect(() => {
    const back = backFromGoogle(PAGES.signInGoogle);
    if (back === null) {
      navigate(PAGES.home, { replace: true });
      return;
    }
    const { purpose, place, ...proof } = back;
    const finish = async (): Promise<void> => {
      if (purpose === 'sign in') {
        const answer = await call('POST /api/auth/google/finish', {
          body: { ...proof, tokenIn: 'cookie' },
        });
        navigate(place, { replace: true });
        session.signedIn(answer);
        return;
      }
      session.updateUser(await call('POST /api/auth/link', { body: { kind: 'google', ...proof } }));
      await readAgain(['GET /api/user/profile']);
      navigate(place, { replace: true });
    };
    const attempt = (): void => {
      setRefused(null);
      finish().catch((error: unknown) => {
        if (error instanceof Problem) setRefused({ problem: error, retry: attempt });
      });
    };
    attempt();
  }, [navigate]);
  return (
    <Frame title="Coming back from Google" sentence="One moment.">
      {refused === null ? (
        <Skeleton lines={2} />
      ) : (
        <>
          <Refusal problem={refused.problem} what="visit" onSignedIn={refused.retry} />
          <Button isWide onClick={() => navigate(PAGES.home, { replace: true })}>
            Continue without it
          </Button>
        </>
      )}
    </Frame>
  );
}
