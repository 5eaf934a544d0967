import { join } from 'node:path';
import { SAFE_CASH } from '../domain/cash.ts';
import { formatMicros } from '../domain/units.ts';
import type { AgentId, UserId } from '../domain/ids.ts';
import { AppError, isRetryable } from '../domain/errors.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Accounts, Profile } from '../services/sign-in/accounts.ts';
import type { Agents } from '../services/agents/agents-types.ts';
import type { Portfolio } from '../services/portfolio/portfolio.ts';
import type { Sessions, SignedIn } from '../services/sign-in/sessions.ts';
import { replaceFile } from './storage.ts';

/** What making the demo user needs: the same services everybody signs in by. */
export interface DemoDeps {
  readonly sessions: Pick<Sessions, 'requestCode' | 'verifyCode' | 'refresh'>;
  readonly accounts: Pick<Accounts, 'profile' | 'setUsername' | 'activate'>;
  readonly agents: Pick<Agents, 'list' | 'updateSettings' | 'enable'>;
  /** Whether an agent has ever been enabled. */
  readonly wasEnabled: (userId: UserId, agentId: AgentId) => boolean;
  /** What its Safe still waits for; nothing where orders move no Safe. */
  readonly walletMissing: (userId: UserId) => readonly string[];
  readonly portfolio: Pick<Portfolio, 'cash'>;
  /** The last code that was "sent" to a phone: the demo reads its own. */
  readonly codeFor: (phone: string) => string | null;
  readonly folder: string;
  readonly clock: Clock;
  /** Aborted when the process is to end: waiting is given up. */
  readonly ending: AbortSignal;
  readonly print: (line: string) => void;
}

/** A demo user that trades, and whose token file stays fresh. */
export interface Demo {
  stop(): void;
}

/** A number from the range reserved for fiction. */
const DEMO_PHONE = '+12025550123';
/** What the demo user is called: no other user can be, for it is the first to sign in. */
const DEMO_USERNAME = 'demo';
/** Access tokens live 15 minutes; the file gets a new one well before. */
const REFRESH_EVERY_MS = 10 * 60_000;
/**
 * How often its deposit and its Safe are looked for before its agents are enabled: both are there
 * in seconds, on a machine many share in a minute.
 */
const FUNDS_WAIT_MS = 200;
/** How often agents are tried again whose venue waits for something. */
const LATER_MS = 2_000;
/** A trade of the demo's agents, in USDC. */
const DEMO_SIZE_USD = 5;

/**
 * Signs the demo user in, names it, prints its token at once and keeps a fresh one in a file. Then
 * waits for its deposit and its Safe, saying what for, and enables its agents. Rejects when the
 * process is to end meanwhile.
 */
export async function startDemoUser(deps: DemoDeps): Promise<Demo> {
  const { accounts, portfolio, folder, print } = deps;
  const first = await signIn(deps);
  const { userId } = first;
  if (accounts.profile(userId).username === null) await accounts.setUsername(userId, DEMO_USERNAME);
  const tokenFile = join(folder, 'demo-token');
  replaceFile(tokenFile, first.accessToken);
  print(
    `\ndemo user ${userId}; its token for curl (kept fresh in ${tokenFile}):\n${first.accessToken}\n`,
  );
  const renewal = renew(deps, tokenFile, first.refreshToken);
  let waiting: readonly AgentId[];
  try {
    await untilReady(deps, userId);
    waiting = await enableAgents(deps, userId);
  } catch (error) {
    renewal.stop();
    throw error;
  }
  const later = enableLater(deps, userId, waiting);
  print(
    `demo user ${userId} is ready with ${formatMicros(portfolio.cash(userId, SAFE_CASH).available)} USDC\n`,
  );
  return {
    stop() {
      renewal.stop();
      later.stop();
    },
  };
}

/**
 * Asks for a code and uses it. A start that was killed in between leaves a code behind, and the
 * next has to wait like anybody.
 */
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
      deps.print(
        `sign-in   the demo user waits up to ${Math.ceil(error.retryAfterMs / 1_000)} s for a new code (${error.message})`,
      );
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

/** Waits as long as it takes, and says what for whenever that has changed. */
async function untilReady(deps: DemoDeps, userId: UserId): Promise<void> {
  const { portfolio, accounts, ending, print } = deps;
  let said = '';
  for (;;) {
    ending.throwIfAborted();
    const waits = waitsOf(deps, userId);
    if (waits.length === 0) return;
    if (waits.join() !== said)
      print(`demo user waits for ${waits.join(', ')}; trading begins by itself then`);
    said = waits.join();
    if (portfolio.cash(userId, SAFE_CASH).settled === 0) await accounts.activate(userId);
    await pause(deps, FUNDS_WAIT_MS);
  }
}

function waitsOf(
  { portfolio, accounts, walletMissing }: DemoDeps,
  userId: UserId,
): readonly string[] {
  return [
    ...(accounts.profile(userId).account === 'preparing' ? ['its account at the venue'] : []),
    ...(portfolio.cash(userId, SAFE_CASH).settled === 0 ? ['its deposit'] : []),
    ...walletMissing(userId).map((step) => `the ${step} of its Safe`),
  ];
}

/**
 * Agents that were never enabled are set up and enabled; what was enabled once is as the user left
 * it (L6). Resolves with those whose venue still waits for something, which is said.
 */
async function enableAgents(
  { agents, wasEnabled, print }: DemoDeps,
  userId: UserId,
): Promise<readonly AgentId[]> {
  const waiting: AgentId[] = [];
  for (const {
    profile: { agentId },
    enabled,
    updatedAtMs,
    settings,
  } of agents.list(userId)) {
    if (enabled || wasEnabled(userId, agentId)) continue;
    if (updatedAtMs === null)
      await agents.updateSettings(userId, agentId, {
        avgPositionSize: DEMO_SIZE_USD,
        strategy: settings.strategy,
      });
    try {
      await agents.enable(userId, agentId);
    } catch (error) {
      if (!isWaiting(error)) throw error;
      waiting.push(agentId);
      print(`demo user waits: ${error.message}`);
    }
  }
  return waiting;
}

/**
 * Tries agents again that waited, until each is enabled. Another venue's money is no reason to keep
 * the first from trading.
 */
function enableLater(
  { agents, clock, print }: DemoDeps,
  userId: UserId,
  waiting: readonly AgentId[],
): Demo {
  let isStopped = false;
  let timer: Timer | null = null;
  const tryAll = async (left: readonly AgentId[]): Promise<void> => {
    const still: AgentId[] = [];
    for (const agentId of left) {
      try {
        await agents.enable(userId, agentId);
        print(`demo user has its agent ${agentId} enabled`);
      } catch {
        // Whatever it was, it is tried again: the reason was said, and the demo goes on without.
        still.push(agentId);
      }
    }
    schedule(still);
  };
  const schedule = (left: readonly AgentId[]): void => {
    if (left.length > 0 && !isStopped) timer = clock.after(LATER_MS, () => void tryAll(left));
  };
  schedule(waiting);
  return {
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

function isWaiting(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'agent_not_ready' || error.retryable);
}

function renew({ sessions, clock }: DemoDeps, tokenFile: string, refreshToken: string): Demo {
  let timer: Timer | null = null;
  let current = refreshToken;
  const renewOnce = async (): Promise<void> => {
    try {
      const tokens = await sessions.refresh(current);
      current = tokens.refreshToken;
      replaceFile(tokenFile, tokens.accessToken);
    } catch (error) {
      // A refusal is final: the demo user was signed out. The file then keeps its last token
      // until that ends.
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

/** The demo user's story needs no name before it. */
export function strangerName({
  userId,
  username,
}: Pick<Profile, 'userId' | 'username'>): string | null {
  return username === DEMO_USERNAME ? null : (username ?? userId);
}
