import { OctagonX } from 'lucide-react';
import { useState } from 'react';
import { useAttempt } from '../api/attempt.ts';
import { call } from '../api/client.ts';
import { readAgain, useRead } from '../api/query.ts';
import type { Output } from '../api/routes.ts';
import { cancelReport, stopReport, STOP_WORDS } from '../pages/agents/agent-state.ts';
import { Link } from 'wouter';
import { PAGES } from '../routes.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemNote, Read } from '../ui/state.tsx';
import { isAllStopped, STOPPED_ID } from './all-stopped.ts';
import styles from './stop-all.module.css';
import { agentName } from '../format/agent-name.ts';

interface Stopped {
  readonly openBuys: number;
  readonly agents: Output<'POST /api/agents/stop-all'>['data'];
}

/**
 * The stop on every page: it says what it will do, does it, and says what it did. Once all is
 * stopped, the way to the banner that lets trading go on.
 */
export function StopAll() {
  const [isAsking, setAsking] = useState(false);
  // the banner asks for it
  const stop = useRead('GET /api/user/stop', {}, { enabled: false });
  const agents = useRead('GET /api/agents/', {});
  return (
    <>
      {isAllStopped(stop.data, agents.data?.data) ? (
        <a
          className={styles['stopped']}
          href={`#${STOPPED_ID}`}
          aria-label="All is stopped: to where trading is let go on"
        >
          <OctagonX size={16} aria-hidden="true" />
          Stopped
        </a>
      ) : (
        <Button variant="danger" onClick={() => setAsking(true)}>
          <OctagonX size={16} aria-hidden="true" />
          Stop all
        </Button>
      )}
      {isAsking ? <StopDialog onClose={() => setAsking(false)} /> : null}
    </>
  );
}

function StopDialog({ onClose }: { onClose(): void }) {
  const agents = useRead('GET /api/agents/', {});
  const { isBusy, problem, make } = useAttempt();
  const [stopped, setStopped] = useState<Stopped | null>(null);
  const stop = async (): Promise<void> => {
    await make(async () => {
      // the stop of all trading first: it holds even if the second call gets no answer
      const { openBuys } = await call('POST /api/user/stop', { body: { policy: 'cancel_only' } });
      setStopped({ openBuys, agents: (await call('POST /api/agents/stop-all', {})).data });
    });
    void readAgain(['GET /api/agents/', 'GET /api/user/stop', 'GET /api/portfolio/orders']);
  };
  const modes = new Map(agents.data?.data.map(({ agent, mode }) => [agent, mode]));
  if (stopped !== null)
    return (
      <Dialog
        title="Everything is stopped"
        onClose={onClose}
        actions={
          <Button variant="primary" autoFocus onClick={onClose}>
            Close
          </Button>
        }
      >
        <p>Nothing is bought any more, by agents or by hand. It stays so after a restart.</p>
        <p>{cancelReport(stopped.openBuys)}</p>
        <ul className={styles['list']}>
          {stopped.agents.map((each) => (
            <li key={each.agent}>
              <strong>{agentName(each.agent)}</strong>
              <span>{stopReport(each, modes.get(each.agent) ?? 'live')}</span>
            </li>
          ))}
        </ul>
        <p>
          Once you resume trading, these agents are still off: enable them again on their pages,
          under{' '}
          <Link href={PAGES.agents} className="link" onClick={onClose}>
            Agents
          </Link>
          .
        </p>
        <p className="muted">Only positions in markets that still trade are counted.</p>
      </Dialog>
    );
  return (
    <Confirm
      title="Stop all trading?"
      action="Stop all"
      keep="Keep trading"
      isDanger
      isBusy={isBusy}
      onConfirm={() => void stop()}
      onClose={onClose}
    >
      <p>
        Every agent is switched off and open buys are cancelled. Sales stay, so that you can still
        leave a position. You resume trading yourself, and enable each agent again yourself.
      </p>
      <Read of={agents} lines={6}>
        {({ data }) => (
          <ul className={styles['list']}>
            {data.map(({ agent, enabled, onStop }) => (
              <li key={agent}>
                <strong>{agentName(agent)}</strong>
                <span>{enabled ? STOP_WORDS[onStop] : 'is off'}</span>
              </li>
            ))}
          </ul>
        )}
      </Read>
      {problem === null ? null : <ProblemNote problem={problem} onRetry={() => void stop()} />}
    </Confirm>
  );
}
