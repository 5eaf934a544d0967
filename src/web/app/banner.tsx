import { useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { session } from '../api/session.ts';
import { useChange, useRead } from '../api/query.ts';
import { useIsLost, useSocketState } from '../live/live.ts';
import { duration } from '../format/time.ts';
import { Button } from '../ui/button.tsx';
import { agentName } from '../format/agent-name.ts';
import { PAGES } from '../routes.ts';
import { STOPPED_ID, stillOff, switchedOff } from './all-stopped.ts';
import { useNow } from './now.ts';
import styles from './shell.module.css';

/** What concerns all of a page, above it. A stop stays known while the connection is lost. */
export function Banner() {
  const isLost = useIsLost();
  return (
    <>
      {isLost ? <LostBanner /> : null}
      <StoppedBanner />
    </>
  );
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
  const agents = useRead('GET /api/agents/', {}, { enabled: isSignedIn });
  const [off, setOff] = useState<readonly string[]>([]);
  const resume = useChange('POST /api/user/resume', ['GET /api/user/stop', 'GET /api/agents/']);
  if (stop.data === undefined) return null;
  const { stopped, reason, operator, cancelling } = stop.data;
  if (operator !== null)
    return (
      <div className={styles['banner']} role="status">
        Trading is stopped by the operator: {operator.reason}
      </div>
    );
  if (!stopped) {
    const left = stillOff(off, agents.data?.data ?? []).map(({ agent }) => agentName(agent));
    return left.length === 0 ? null : <StillOff agents={left} onClose={() => setOff([])} />;
  }
  const offNow = switchedOff(stop.data, agents.data?.data ?? []).map(({ agent }) => agent);
  return (
    <div className={styles['banner']} role="status" id={STOPPED_ID} tabIndex={-1}>
      <span>
        All your trading is stopped{cancelling ? '; open buys are still being cancelled' : ''}.
        Nothing is bought until you resume it.{reason === null ? '' : ` Reason: ${reason}.`}
      </span>
      <Button
        isSmall
        isBusy={resume.isPending}
        onClick={() => resume.mutate({}, { onSuccess: () => setOff(offNow) })}
      >
        Resume trading
      </Button>
    </div>
  );
}

/** After trading was resumed: the agents that the stop switched off are not on again. */
function StillOff({ agents, onClose }: { readonly agents: readonly string[]; onClose(): void }) {
  return (
    <div className={styles['banner']} role="status">
      <span>
        Trading goes on. Switched off by the stop, and still off: {agents.join(', ')}.{' '}
        <Link href={PAGES.agents} className="link">
          Enable them again
        </Link>
      </span>
      <Button isSmall onClick={onClose}>
        Close
      </Button>
    </div>
  );
}
