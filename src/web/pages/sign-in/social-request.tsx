import { lazy, Suspense, useEffect, useReducer, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import {
  requestSignature,
  type SocialProof,
  type SocialRequestState,
} from '../../api/social-request.ts';
import { Refusal } from '../../app/refusal.tsx';
import { browserScheduler } from '../../live/scheduler.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/state.tsx';
import styles from './sign-in.module.css';

const QrCode = lazy(() =>
  import('../../ui/qr-code.tsx').then(({ QrCode }) => ({ default: QrCode })),
);

/** Asks a user's phone to sign in by the social protocol; `onProof` does what it is for. */
export function SocialRequest({
  done,
  onProof,
}: {
  /** What is said once it is done. */
  readonly done: string;
  onProof(proof: SocialProof): Promise<void>;
}) {
  const [state, setState] = useState<SocialRequestState>({ kind: 'opening' });
  const [attempt, askAgain] = useReducer((count: number) => count + 1, 0);
  const finish = useRef(onProof);
  useEffect(() => {
    finish.current = onProof;
  });
  useEffect(
    () =>
      requestSignature({
        open: () => call('POST /api/auth/social/channel', {}),
        status: (visit) => call('POST /api/auth/social/channel/status', { body: { visit } }),
        finish: (proof) => finish.current(proof),
        scheduler: browserScheduler,
        onState: setState,
      }),
    [attempt],
  );
  return (
    <Card isPadded>
      <div className={styles['request']}>
        <Request state={state} done={done} onAgain={askAgain} />
      </div>
    </Card>
  );
}

function Request({
  state,
  done,
  onAgain,
}: {
  readonly state: SocialRequestState;
  readonly done: string;
  onAgain(): void;
}) {
  switch (state.kind) {
    case 'opening':
      return <Skeleton lines={6} />;
    case 'waiting':
      return (
        <>
          <p>Scan this with the phone that has your Farcaster account, and approve it there.</p>
          <div className={styles['scan']}>
            <Suspense fallback={<Skeleton lines={6} />}>
              <QrCode text={state.link} />
            </Suspense>
          </div>
          <a className="link" href={state.link} target="_blank" rel="noreferrer">
            Open it on this device
          </a>
          <p className="muted" role="status">
            {state.isUnanswered
              ? 'No answer came just now; it is asked for again.'
              : 'Waiting for your phone.'}
          </p>
        </>
      );
    case 'finishing':
      return <p role="status">Signed on your phone. One moment.</p>;
    case 'done':
      return <p role="status">{done}</p>;
    case 'expired':
      return (
        <>
          <p role="status">This code is over: it is good for ten minutes and for one use.</p>
          <Button variant="primary" isWide onClick={onAgain}>
            Show a new code
          </Button>
        </>
      );
    case 'refused':
      return (
        <>
          <Refusal problem={state.problem} what="request" onSignedIn={onAgain} />
          <Button isWide onClick={onAgain}>
            Begin again
          </Button>
        </>
      );
  }
}
