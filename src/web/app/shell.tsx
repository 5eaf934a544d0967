import {
  Activity,
  Bell,
  Bot,
  ChartNoAxesColumn,
  ChartPie,
  Home,
  Search,
  Settings,
  Wallet,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRead } from '../api/query.ts';
import { useMarketClock, useDaemonNow } from './clock.ts';
import { Banner } from './banner.tsx';
import { StopAll } from './stop-all.tsx';
import { Palette } from './palette.tsx';
import { KeyHelp } from './key-help.tsx';
import { useKeys } from './keys.ts';
import { usd } from '../format/money.ts';
import { useIsLost } from '../live/live.ts';
import { moment, sandboxTime } from '../format/time.ts';
import { AGENT_PAGES, PAGES } from '../routes.ts';
import { StateDot } from '../ui/state.tsx';
import { Explained, Term } from '../ui/term.tsx';
import { agentState } from '../pages/agents/agent-state.ts';
import { askedOf } from '../pages/confirmations/asked.ts';
import styles from './shell.module.css';
import { agentName } from '../format/agent-name.ts';

const PARTS = [
  { path: PAGES.home, name: 'Home', Icon: Home, isOnPhone: true },
  { path: PAGES.markets, name: 'Markets', Icon: ChartNoAxesColumn, isOnPhone: true },
  { path: PAGES.agents, name: 'Agents', Icon: Bot, isOnPhone: true },
  { path: PAGES.portfolio, name: 'Portfolio', Icon: ChartPie, isOnPhone: false },
  { path: PAGES.wallet, name: 'Wallet', Icon: Wallet, isOnPhone: true },
  { path: PAGES.activity, name: 'Activity', Icon: Activity, isOnPhone: true },
  { path: PAGES.settings, name: 'Settings', Icon: Settings, isOnPhone: false },
] as const;

/** The frame of every page: where one is, what is there to spend, and the stop. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [opened, setOpened] = useState<'search' | 'help' | null>(null);
  useKeys(setOpened);
  const isLost = useIsLost();
  return (
    <div className={styles['shell']} data-lost={isLost ? '' : undefined}>
      <a className={styles['skip']} href="#main">
        Skip to the page
      </a>
      <header className={styles['bar']}>
        <Link href={PAGES.home} className={styles['brand']} aria-label="predictd">
          <img src="/icon.svg" alt="" />
          <span>predictd</span>
        </Link>
        <button
          type="button"
          className={styles['search']}
          aria-label="Search markets and pages"
          onClick={() => setOpened('search')}
        >
          <Search size={16} aria-hidden="true" />
          <span>Markets and pages</span>
          <kbd>/</kbd>
        </button>
        <div className={styles['space']} />
        <Clock />
        <Available />
        <Unread />
        <Link
          href={PAGES.settings}
          className={`${styles['bell']} ${styles['onlyPhone']}`}
          aria-label="Settings"
        >
          <Settings size={18} aria-hidden="true" />
        </Link>
        <StopAll />
      </header>
      <nav className={styles['rail']} aria-label="Pages">
        <Rail />
      </nav>
      <main className={styles['main']} id="main" tabIndex={-1}>
        <Banner />
        {children}
      </main>
      {opened === 'search' ? <Palette onClose={() => setOpened(null)} /> : null}
      {opened === 'help' ? <KeyHelp onClose={() => setOpened(null)} /> : null}
    </div>
  );
}

function Rail() {
  const [location] = useLocation();
  // what is asked is answered from the home page
  const asked = askedOf(useRead('GET /api/user/confirmations/', {}).data?.data);
  const isAgent = Object.values(AGENT_PAGES).includes(location);
  return PARTS.map(({ path, name, Icon, isOnPhone }) => {
    const isHere =
      path === PAGES.home
        ? location === path
        : location.startsWith(path) || (path === PAGES.agents && isAgent);
    const count = path === PAGES.home ? asked : 0;
    return (
      <div key={path} className={isOnPhone ? undefined : styles['onlyWide']}>
        <Link
          href={path}
          className={styles['item']}
          aria-current={isHere ? 'page' : undefined}
          aria-label={count === 0 ? name : `${name}, ${count} to confirm`}
        >
          <Icon size={18} aria-hidden="true" />
          <span>{name}</span>
          {count === 0 ? null : (
            <b className={styles['count']} data-count={count} aria-hidden="true" />
          )}
        </Link>
        {path === PAGES.agents ? <AgentLinks location={location} /> : null}
      </div>
    );
  });
}

function AgentLinks({ location }: { readonly location: string }) {
  const agents = useRead('GET /api/agents/', {});
  if (agents.data === undefined) return null;
  return (
    <div className={styles['sub']}>
      {agents.data.data.map((agent) => {
        const path = AGENT_PAGES[agent.agent] ?? PAGES.agents;
        const { dot } = agentState(agent);
        return (
          <Link key={agent.agent} href={path} aria-current={location === path ? 'page' : undefined}>
            <StateDot state={dot}>
              <span className={location === path ? undefined : 'muted'}>
                {agentName(agent.agent)}
              </span>
            </StateDot>
          </Link>
        );
      })}
    </div>
  );
}

function Clock() {
  const clock = useMarketClock();
  const nowMs = useDaemonNow();
  return (
    <span className={`${styles['fact']} ${styles['clock']}`}>
      {clock.speed === 1 ? (
        'Time'
      ) : (
        <Explained text={sandboxTime(clock, nowMs)}>Sandbox, {clock.speed}× time</Explained>
      )}
      <strong>{moment(nowMs, nowMs)}</strong>
    </span>
  );
}

function Available() {
  const portfolio = useRead('GET /api/portfolio/', {});
  return (
    <span className={styles['fact']}>
      <Term of="available">
        Available<span className={styles['onlyWide']}>, all venues</span>
      </Term>
      <strong data-figure>{usd(portfolio.data?.availableUsdc ?? null)}</strong>
    </span>
  );
}

function Unread() {
  const { data } = useRead('GET /api/user/notifications/', { query: {} });
  const unread = data?.unread ?? 0;
  const shown = unread > 9 ? '9+' : String(unread);
  return (
    <Link
      href={PAGES.notifications}
      className={styles['bell']}
      aria-label={unread === 0 ? 'Notifications' : `Notifications, ${shown} unread`}
    >
      <Bell size={18} aria-hidden="true" />
      {unread === 0 ? null : (
        <span className={styles['count']} aria-hidden="true">
          {shown}
        </span>
      )}
    </Link>
  );
}
