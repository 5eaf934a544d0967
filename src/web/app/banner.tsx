import { useSyncExternalStore } from 'react';
import { session } from '../api/session.ts';
import { useChange, useRead } from '../api/query.ts';
import { useIsLost, useSocketState } from '../live/live.ts';
import { duration } from '../format/time.ts';
import { Button } from '../ui/button.tsx';
import { STOPPED_ID } from './all-stopped.ts';
import { useNow } from './now.ts';
import styles from './shell.module.css';

/** The one line above a page: what concerns all of it. The gravest is shown. */
export function Banner() {
  const isLost = useIsLost();
  if (isLost) return <LostBanner />;
  return <StoppedBanner />;
}

function LostBanner() {
  const socket = useSocketState();
  const nowMs = useNow();
  return (
    <div className={styles['banner']} role="status">
      Connection lost{socket.kind === 'lost' ? ` ${duration(nowMs - socket.sinceMs)} ago` : ''}.
      Live figures are old; stops, cancels and limit orders still go through once the service
      answers.
    </div>
  );
}

function StoppedBanner() {
  const isSignedIn = useSyncExternalStore(
    session.subscribe,
    () => session.state.kind === 'signed_in',
  );
  const stop = useRead('GET /api/user/stop', {}, { enabled: isSignedIn });
  const resume = useChange('POST /api/user/resume', ['GET /api/user/stop', 'GET /api/agents/']);
  if (stop.data === undefined) return null;
  const { stopped, reason, operator, cancelling } = stop.data;
  if (operator !== null)
    return (
      <div className={styles['banner']} role="status">
        Trading is stopped by the operator: {operator.reason}
      </div>
    );
  if (!stopped) return null;
  return (
    <div className={styles['banner']} role="status" id={STOPPED_ID} tabIndex={-1}>
      <span>
        All your trading is stopped{cancelling ? '; open buys are still being cancelled' : ''}.
        Nothing is bought until you resume it. Reason: {reason}.
      </span>
      <Button isSmall isBusy={resume.isPending} onClick={() => resume.mutate({})}>
        Resume trading
      </Button>
    </div>
  );
}
