import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatMicros } from '../domain/units.ts';
import { AGENT_IDS } from '../domain/ids.ts';
import type { UserId } from '../domain/ids.ts';
import { AppError, isRetryable } from '../domain/errors.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Accounts } from '../services/sign-in/accounts.ts';
import type { Agents } from '../services/agents/agents.ts';
import type { Portfolio } from '../services/portfolio/portfolio.ts';
import type { Sessions, SignedIn } from '../services/sign-in/sessions.ts';
import { replaceFile } from './storage.ts';

/** What making the demo user needs: the same services everybody signs in by. */
export interface DemoDeps {
  readonly sessions: Pick<Sessions, 'requestCode' | 'verifyCode' | 'refresh'>;
  readonly accounts: Pick<Accounts, 'profile' | 'setUsername' | 'activate'>;
  readonly agents: Pick<Agents, 'list' | 'updateSettings' | 'enable'>;
  readonly portfolio: Pick<Portfolio, 'cash'>;
  /** The last code that was "sent" to a phone: the demo reads its own. */
  readonly codeFor: (phone: string) => string | null;
  readonly folder: string;
  readonly clock: Clock;
  /** Aborted when the process is to end: waiting is given up. */
  readonly ending: AbortSignal;
  readonly print: (line: string) => void;
}

/** A signed-in demo user whose token file stays fresh. */
export interface Demo {
  readonly userId: UserId;
  readonly tokenFile: string;
  readonly token: string;
  readonly cash: string;
  stop(): void;
}

/** A number from the range reserved for fiction. */
const DEMO_PHONE = '+12025550123';
/** What the demo user is called: nobody else can be, for it is the first to sign in. */
export const DEMO_USERNAME = 'demo';
/** Access tokens live 15 minutes; the file gets a new one well before. */
const REFRESH_EVERY_MS = 10 * 60_000;
/** How often the demo's deposit and its Safe are looked for before its agents are enabled: both are there in seconds, on a machine many share in a minute. */
const FUNDS_ATTEMPTS = 1_500;
const FUNDS_WAIT_MS = 200;

/** Signs the demo user in, names it, waits for its deposit and its Safe, enables its agents, and keeps a fresh token in a file. */
export async function startDemoUser(deps: DemoDeps): Promise<Demo> {
  const first = await signIn(deps);
  const { userId } = first;
  const tokenFile = join(deps.folder, 'demo-token');
  if (deps.accounts.profile(userId).username === null) await deps.accounts.setUsername(userId, DEMO_USERNAME);
  await fundsArrived(deps, userId);
  await enableAgents(deps, userId, !existsSync(tokenFile));
  replaceFile(tokenFile, first.accessToken);
  const renewal = renew(deps, tokenFile, first.refreshToken);
  return { userId, tokenFile, token: first.accessToken, cash: formatMicros(deps.portfolio.cash(userId).available), stop: renewal.stop };
}

/** Asks for a code and uses it. A start that was killed in between leaves a code behind, and the next has to wait like anybody. */
async function signIn(deps: DemoDeps): Promise<SignedIn> {
  for (;;) {
    deps.ending.throwIfAborted();
    try {
      const { challengeId } = await deps.sessions.requestCode(DEMO_PHONE);
      const code = deps.codeFor(DEMO_PHONE);
      if (code === null) throw new Error('the demo user needs the profile that shows codes');
      return await deps.sessions.verifyCode(challengeId, code);
    } catch (error) {
      if (!(error instanceof AppError) || error.retryAfterMs === null) throw error;
      deps.print(`sign-in   the demo user waits up to ${Math.ceil(error.retryAfterMs / 1_000)} s for a new code (${error.message})`);
      await pause(deps, error.retryAfterMs);
    }
  }
}

/** Waits, but for no longer than the process lives. */
function pause({ clock, ending }: DemoDeps, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel();
      ending.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(ms, done);
    ending.addEventListener('abort', done);
  });
}

async function fundsArrived(deps: DemoDeps, userId: UserId): Promise<void> {
  const { portfolio, accounts, agents, ending } = deps;
  const isWalletReady = () => agents.list(userId).every(({ missing }) => missing.every(({ path }) => path !== '/wallet'));
  for (let attempt = 0; attempt < FUNDS_ATTEMPTS && (portfolio.cash(userId).settled === 0 || !isWalletReady()); attempt += 1) {
    ending.throwIfAborted();
    if (portfolio.cash(userId).settled === 0) await accounts.activate(userId);
    await pause(deps, FUNDS_WAIT_MS);
  }
}

/**
 * Agents the user has never touched are set up and enabled; what somebody disabled stays disabled (L6). Until the first token is
 * out nobody can have disabled any, so one that was set up and is not enabled was caught by a kill in between.
 */
async function enableAgents({ agents }: DemoDeps, userId: UserId, isFirstToken: boolean): Promise<void> {
  for (const agentId of AGENT_IDS) {
    const view = agents.list(userId).find(({ profile }) => profile.agentId === agentId);
    if (view === undefined || view.enabled || (view.updatedAtMs !== null && !isFirstToken)) continue;
    if (view.updatedAtMs === null) await agents.updateSettings(userId, agentId, { avgPositionSize: 5, strategy: view.settings.strategy });
    await agents.enable(userId, agentId);
  }
}

function renew({ sessions, clock }: DemoDeps, tokenFile: string, refreshToken: string): { stop(): void } {
  let timer: Timer | null = null;
  let current = refreshToken;
  const renewOnce = async (): Promise<void> => {
    try {
      const tokens = await sessions.refresh(current);
      current = tokens.refreshToken;
      replaceFile(tokenFile, tokens.accessToken);
    } catch (error) {
      // A refusal is final: somebody signed the demo user out. The file then keeps its last token until that ends.
      if (!isRetryable(error)) return;
    }
    schedule();
  };
  const schedule = (): void => {
    timer = clock.after(REFRESH_EVERY_MS, () => void renewOnce());
  };
  schedule();
  return { stop: () => timer?.cancel() };
}
