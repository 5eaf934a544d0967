import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { Link, Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { queryClient, readAgain, readFailedAgain } from '../api/query.ts';
import { session } from '../api/session.ts';
import { live } from '../live/live.ts';
import { followOwnTopics } from '../live/own-topics.ts';
import { browserScheduler } from '../live/scheduler.ts';
import { isPagePath, PAGES } from '../routes.ts';
import { FinishGoogle, SignInPage } from '../pages/sign-in/sign-in.tsx';
import { WelcomePage } from '../pages/sign-in/welcome.tsx';
import { Empty, Skeleton, Waiting } from '../ui/state.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Page } from '../ui/layout.tsx';
import { Faults } from './faults.tsx';
import { placeAfterSignIn } from './return-place.ts';
import { Shell } from './shell.tsx';

const HomePage = lazy(() =>
  import('../pages/home/home.tsx').then(({ HomePage }) => ({ default: HomePage })),
);
const AgentsPage = lazy(() =>
  import('../pages/agents/agents.tsx').then(({ AgentsPage }) => ({ default: AgentsPage })),
);
const AgentPage = lazy(() =>
  import('../pages/agents/agent.tsx').then(({ AgentPage }) => ({ default: AgentPage })),
);

const MarketsPage = lazy(() =>
  import('../pages/markets/markets.tsx').then(({ MarketsPage }) => ({ default: MarketsPage })),
);
const MarketPage = lazy(() =>
  import('../pages/markets/market.tsx').then(({ MarketPage }) => ({ default: MarketPage })),
);
const PortfolioPage = lazy(() =>
  import('../pages/portfolio/portfolio.tsx').then(({ PortfolioPage }) => ({
    default: PortfolioPage,
  })),
);
const WalletPage = lazy(() =>
  import('../pages/wallet/wallet.tsx').then(({ WalletPage }) => ({ default: WalletPage })),
);
const DepositPage = lazy(() =>
  import('../pages/wallet/deposit.tsx').then(({ DepositPage }) => ({ default: DepositPage })),
);
const WithdrawPage = lazy(() =>
  import('../pages/wallet/withdraw.tsx').then(({ WithdrawPage }) => ({ default: WithdrawPage })),
);
const SwapPage = lazy(() =>
  import('../pages/wallet/swap.tsx').then(({ SwapPage }) => ({ default: SwapPage })),
);
const TransferPage = lazy(() =>
  import('../pages/wallet/transfer.tsx').then(({ TransferPage }) => ({ default: TransferPage })),
);
const TokensPage = lazy(() =>
  import('../pages/wallet/tokens.tsx').then(({ TokensPage }) => ({ default: TokensPage })),
);
const TokenPage = lazy(() =>
  import('../pages/wallet/token.tsx').then(({ TokenPage }) => ({ default: TokenPage })),
);
const LaunchPage = lazy(() =>
  import('../pages/wallet/launch.tsx').then(({ LaunchPage }) => ({ default: LaunchPage })),
);
const RegistryPage = lazy(() =>
  import('../pages/wallet/registry.tsx').then(({ RegistryPage }) => ({ default: RegistryPage })),
);
const ActivityPage = lazy(() =>
  import('../pages/activity/activity.tsx').then(({ ActivityPage }) => ({ default: ActivityPage })),
);
const TradesPage = lazy(() =>
  import('../pages/activity/activity.tsx').then(({ TradesPage }) => ({ default: TradesPage })),
);
const NotificationsPage = lazy(() =>
  import('../pages/activity/activity.tsx').then(({ NotificationsPage }) => ({
    default: NotificationsPage,
  })),
);
const ReceiptPage = lazy(() =>
  import('../pages/activity/receipt.tsx').then(({ ReceiptPage }) => ({ default: ReceiptPage })),
);
const ConfirmationsPage = lazy(() =>
  import('../pages/confirmations/confirmations.tsx').then(({ ConfirmationsPage }) => ({
    default: ConfirmationsPage,
  })),
);
const ConfirmPage = lazy(() =>
  import('../pages/confirmations/confirm.tsx').then(({ ConfirmPage }) => ({
    default: ConfirmPage,
  })),
);
const KeysPage = lazy(() =>
  import('../pages/keys/keys.tsx').then(({ KeysPage }) => ({ default: KeysPage })),
);
const SettingsPage = lazy(() =>
  import('../pages/settings/settings.tsx').then(({ SettingsPage }) => ({ default: SettingsPage })),
);
const SecurityPage = lazy(() =>
  import('../pages/settings/security.tsx').then(({ SecurityPage }) => ({ default: SecurityPage })),
);
const AboutPage = lazy(() =>
  import('../pages/settings/about.tsx').then(({ AboutPage }) => ({ default: AboutPage })),
);

/** The app: who is there decides what is shown. */
export function App() {
  const state = useSyncExternalStore(session.subscribe, () => session.state);
  const [location] = useLocation();
  const search = useSearch();
  if (state.kind === 'starting') return <Starting isUnanswered={state.isUnanswered} />;
  if (state.kind === 'signed_out' && !isPagePath(location))
    return (
      <main>
        <NotFound />
      </main>
    );
  if (state.kind === 'signed_out') return <SignInPage wasSignedIn={state.wasSignedIn} />;
  if (location === PAGES.signInGoogle) return <FinishGoogle />;
  if (location.startsWith(PAGES.signIn))
    return <Redirect to={placeAfterSignIn(`${location}?${search}`)} />;
  if (location === PAGES.welcome && state.user.username !== null)
    return <Redirect to={PAGES.home} />;
  if (state.user.username === null) return <WelcomePage user={state.user} />;
  return <SignedIn key={state.user.userId} />;
}

/** An address that no page has, whoever is there. */
function NotFound() {
  return (
    <Page title="There is no page here">
      <Card>
        <Empty
          next={
            <Link href={PAGES.home} className="link">
              Go home
            </Link>
          }
        >
          There is no page at this address. It may be of another version, or mistyped.
        </Empty>
      </Card>
    </Page>
  );
}

/** An unanswered start is tried again by itself after this. */
const START_AGAIN_MS = 4_000;

/** The stored token is tried, and tried again until there is an answer; by hand too. */
function Starting({ isUnanswered }: { readonly isUnanswered: boolean }) {
  useEffect(() => {
    if (!isUnanswered) return undefined;
    const timer = setInterval(() => void session.start(), START_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isUnanswered]);
  return (
    <main>
      <Empty next={<Button onClick={() => void session.start()}>Try again</Button>}>
        <Skeleton lines={1} />
        {isUnanswered
          ? 'The service does not answer. It may be restarting or very busy, or you may be offline. It is asked again every few seconds; nothing of yours is lost.'
          : 'Looking for the service…'}
      </Empty>
    </main>
  );
}

function SignedIn() {
  const [place] = useLocation();
  useEffect(() => {
    live.connect();
    const stop = followOwnTopics({
      live,
      scheduler: browserScheduler,
      readAgain: (names) => void readAgain(names),
      readFailedAgain: () => void readFailedAgain(),
    });
    const again = (): void => {
      if (!document.hidden) live.connect();
    };
    const drop = (): void => live.drop();
    addEventListener('online', again);
    addEventListener('offline', drop);
    document.addEventListener('visibilitychange', again);
    return () => {
      stop();
      live.close();
      queryClient.clear();
      removeEventListener('online', again);
      removeEventListener('offline', drop);
      document.removeEventListener('visibilitychange', again);
    };
  }, []);
  return (
    <Shell>
      <Faults place={place}>
        <Suspense fallback={<Waiting lines={6} onRetry={() => location.reload()} />}>
          <Pages />
        </Suspense>
      </Faults>
    </Shell>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path={PAGES.home} component={HomePage} />
      <Route path={PAGES.agents} component={AgentsPage} />
      <Route path={PAGES.btc5min}>
        <AgentPage agentId="btc_5min" />
      </Route>
      <Route path={PAGES.eth15min}>
        <AgentPage agentId="eth_15min" />
      </Route>
      <Route path={PAGES.btc15min}>
        <AgentPage agentId="btc_15min" />
      </Route>
      <Route path={PAGES.sol15min}>
        <AgentPage agentId="sol_15min" />
      </Route>
      <Route path={PAGES.farmingA}>
        <AgentPage agentId="venue_a_farming" />
      </Route>
      <Route path={PAGES.farmingB}>
        <AgentPage agentId="venue_b_farming" />
      </Route>
      <Route path={PAGES.markets} component={MarketsPage} />
      <Route path={PAGES.market}>
        {({ venue, marketId }) => <MarketPage venue={venue} marketId={marketId} />}
      </Route>
      <Route path={PAGES.portfolio} component={PortfolioPage} />
      <Route path={PAGES.wallet} component={WalletPage} />
      <Route path={PAGES.deposit} component={DepositPage} />
      <Route path={PAGES.withdraw} component={WithdrawPage} />
      <Route path={PAGES.swap} component={SwapPage} />
      <Route path={PAGES.transfer} component={TransferPage} />
      <Route path={PAGES.tokens} component={TokensPage} />
      <Route path={PAGES.token}>
        {({ chain, token }) => <TokenPage chain={chain} token={token} />}
      </Route>
      <Route path={PAGES.launch} component={LaunchPage} />
      <Route path={PAGES.registry} component={RegistryPage} />
      <Route path={PAGES.activity} component={ActivityPage} />
      <Route path={PAGES.trades} component={TradesPage} />
      <Route path={PAGES.notifications} component={NotificationsPage} />
      <Route path={PAGES.receipt}>
        {({ agent, decisionId }) => <ReceiptPage agent={agent} decisionId={decisionId} />}
      </Route>
      <Route path={PAGES.confirm} component={ConfirmPage} />
      <Route path={PAGES.confirmations} component={ConfirmationsPage} />
      <Route path={PAGES.keys} component={KeysPage} />
      <Route path={PAGES.settings} component={SettingsPage} />
      <Route path={PAGES.security} component={SecurityPage} />
      <Route path={PAGES.about} component={AboutPage} />
      <Route component={NotFound} />
    </Switch>
  );
}
