import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { session } from '../../api/session.ts';
import { useNow } from '../../app/now.ts';
import { countdown } from '../../format/time.ts';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/form.tsx';
import { ProblemNote, Skeleton } from '../../ui/state.tsx';
import styles from './sign-in.module.css';

const GOOGLE_VISIT = 'predictd.google';

/** Signs in by phone, by Google, or by a Farcaster message. */
export function SignInPage({ wasSignedIn }: { readonly wasSignedIn: boolean }) {
  const [location] = useLocation();
  if (location === PAGES.signInGoogle) return <FinishGoogle />;
  return (
    <Frame
      title={wasSignedIn ? 'Your session has ended' : 'Sign in'}
      sentence="Prediction markets as one: live books, agents, wallets."
    >
      <PhoneForm />
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

interface Challenge {
  readonly challengeId: string;
  readonly resendAtMs: number;
}

function PhoneForm() {
  const [phone, setPhone] = useState('');
  const [code, setCode] = useState('');
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const { isBusy, problem, make } = useAttempt();
  const nowMs = useNow();
  const request = () =>
    make(async () => setChallenge(await call('POST /api/auth/otp/request', { body: { phone } })));
  const verify = (digits: string) =>
    make(async () => {
      if (challenge === null) return;
      session.signedIn(
        await call('POST /api/auth/otp/verify', {
          body: { challengeId: challenge.challengeId, code: digits },
        }),
      );
    });
  return (
    <Card isPadded>
      {challenge === null ? (
        <form
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault();
            void request();
          }}
        >
          <Field
            label="Phone number"
            type="tel"
            autoComplete="tel"
            autoFocus
            required
            placeholder="+1 415 555 2671"
            value={phone}
            fault={problem?.faultOf('phone') ?? null}
            onChange={(event) => setPhone(event.target.value)}
          />
          <Button look="primary" type="submit" isWide isBusy={isBusy}>
            Send me a code
          </Button>
        </form>
      ) : (
        <form
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault();
            void verify(code);
          }}
        >
          <Field
            label={`Code sent to ${phone}`}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            required
            maxLength={6}
            placeholder="123456"
            value={code}
            fault={problem?.faultOf('code') ?? null}
            hint="In the sandbox the code stands in the terminal of the daemon."
            onChange={(event) => {
              const digits = event.target.value.replace(/\D/g, '').slice(0, 6);
              setCode(digits);
              if (digits.length === 6) void verify(digits);
            }}
          />
          <Button look="primary" type="submit" isWide isBusy={isBusy}>
            Sign in
          </Button>
          <Button
            look="plain"
            disabled={nowMs < challenge.resendAtMs}
            onClick={() => void request()}
          >
            {nowMs < challenge.resendAtMs
              ? `Send another code in ${countdown(challenge.resendAtMs - nowMs)}`
              : 'Send another code'}
          </Button>
          <Button look="plain" onClick={() => setChallenge(null)}>
            Use another number
          </Button>
        </form>
      )}
      {problem === null || problem.faults.length > 0 ? null : <ProblemNote problem={problem} />}
    </Card>
  );
}

function Others() {
  const [problem, setProblem] = useState<Problem | null>(null);
  const google = async (): Promise<void> => {
    try {
      const { visit, url } = await call('POST /api/auth/google', {});
      sessionStorage.setItem(GOOGLE_VISIT, visit);
      location.assign(url);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  };
  return (
    <div className={styles['or']}>
      <Button isWide onClick={() => void google()}>
        Go on with Google
      </Button>
      {problem === null ? null : <ProblemNote problem={problem} />}
    </div>
  );
}

/** Google sent the browser back: the address is read and cleaned before anything is shown. */
function FinishGoogle() {
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const returnedTo = location.href;
    const visit = sessionStorage.getItem(GOOGLE_VISIT);
    history.replaceState(null, '', PAGES.signInGoogle);
    // shown twice in development: the visit is good for one use
    sessionStorage.removeItem(GOOGLE_VISIT);
    if (visit === null) {
      navigate(PAGES.signIn, { replace: true });
      return;
    }
    call('POST /api/auth/google/finish', { body: { visit, returnedTo } })
      .then((answer) => session.signedIn(answer))
      .catch((error: unknown) => {
        if (error instanceof Problem) setProblem(error);
      });
  }, [navigate]);
  return (
    <Frame title="Signing in with Google" sentence="One moment.">
      {problem === null ? (
        <Skeleton lines={2} />
      ) : (
        <ProblemNote problem={problem} onRetry={() => navigate(PAGES.signIn, { replace: true })} />
      )}
    </Frame>
  );
}
