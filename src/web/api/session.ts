import { noAnswer, problemOf, Problem } from './problem.ts';
import type { Output } from './routes.ts';

type SignedIn = Output<'POST /api/auth/otp/verify'>;
/** The signed-in user as the daemon shows them. */
export type Profile = SignedIn['user'];

/**
 * The state of the sign-in of this browser: unknown until the stored token was tried, signed out,
 * or signed in. `isUnanswered` once a try has got no answer.
 */
export type SessionState =
  | { readonly kind: 'starting'; readonly isUnanswered: boolean }
  | { readonly kind: 'signed_out'; readonly wasSignedIn: boolean }
  | { readonly kind: 'signed_in'; readonly user: Profile };

/**
 * Says that a user has signed in here: the refresh token itself lies in a cookie that no script
 * reads, and a browser without one is not worth a call.
 */
const SIGNED_IN = 'predictd.signed-in';
/** A token is renewed so long before it ends, so that no call meets its end. */
const RENEWED_BEFORE_MS = 60_000;
/**
 * A renewal without an answer is given up after this, the wait for other tabs included. Sooner than
 * the ten seconds in which the daemon takes a token again whose answer was lost: the next try must
 * not resemble a stolen one.
 */
const RENEWAL_AT_MOST_MS = 8_000;
/** One tab at a time renews: the others take what it was given. */
const LOCK = 'predictd.refresh';

interface Access {
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * The session of this browser: the access token in memory, the refresh token in its cookie, which
 * all tabs share.
 * Times of tokens are the wall clock's.
 */
class Session {
  #state: SessionState = { kind: 'starting', isUnanswered: false };
  #access: Access | null = null;
  #renewing: Promise<string> | null = null;
  readonly #listeners = new Set<() => void>();
  readonly #tabs = new BroadcastChannel('predictd.session');

  constructor() {
    this.#tabs.addEventListener('message', ({ data }: MessageEvent<'signed_out' | 'signed_in'>) => {
      if (data === 'signed_out') this.#ended();
      else if (this.#state.kind === 'signed_out') void this.start();
    });
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Calls back after each change of the state; returns how to stop that. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Signs in with the cookie where there is one. Never rejects: without an answer it stays
   * `starting`.
   */
  async start(): Promise<void> {
    if (localStorage.getItem(SIGNED_IN) === null) {
      this.#change({ kind: 'signed_out', wasSignedIn: false });
      return;
    }
    await this.renewed(null).catch(() => {
      if (this.#state.kind === 'starting') this.#change({ kind: 'starting', isUnanswered: true });
    });
  }

  /** Takes what a sign-in answered. */
  signedIn(answer: SignedIn): void {
    this.#take(answer);
    this.#tabs.postMessage('signed_in');
  }

  /** Takes the user as a later call showed them. */
  updateUser(user: Profile): void {
    if (this.#state.kind === 'signed_in') this.#change({ kind: 'signed_in', user });
  }

  /**
   * A token that is good for at least a minute. Errors: `Problem` `unauthenticated` when signed
   * out.
   */
  async accessToken(): Promise<string> {
    const access = this.#access;
    if (access !== null && access.expiresAtMs - Date.now() > RENEWED_BEFORE_MS) return access.token;
    return this.renewed(access?.token ?? null);
  }

  /** A token other than the one that was refused. Calls at one time share one renewal. */
  renewed(refused: string | null): Promise<string> {
    if (this.#access !== null && this.#access.token !== refused)
      return Promise.resolve(this.#access.token);
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  /** Ends the session here and in every tab; at the daemon too where it answers. */
  async signOut(): Promise<void> {
    const token = this.#access?.token;
    this.#forget();
    if (token !== undefined)
      await fetch('/api/auth/logout', {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
      }).catch(() => undefined);
    this.#access = null;
    this.#change({ kind: 'signed_out', wasSignedIn: false });
    this.#tabs.postMessage('signed_out');
  }

  async #renew(): Promise<string> {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), RENEWAL_AT_MOST_MS);
    try {
      return await navigator.locks.request(LOCK, { signal: giveUp.signal }, () =>
        this.#ask(giveUp.signal),
      );
    } catch (cause) {
      throw giveUp.signal.aborted ? noAnswer(cause) : cause;
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(signal: AbortSignal): Promise<string> {
    if (localStorage.getItem(SIGNED_IN) === null) {
      this.#ended();
      throw signedOut();
    }
    const response = await fetch('/api/auth/refresh', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
      signal,
    }).catch((cause: unknown) => {
      throw noAnswer(cause);
    });
    if (response.ok) {
      // the route's own schema made it
      const answer = (await response.json()) as SignedIn;
      this.#take(answer);
      return answer.accessToken;
    }
    const problem = await problemOf(response);
    // 429 and 5xx say nothing of the cookie: it is tried again by the next call
    if (problem.status !== 401 && problem.status !== 400) throw problem;
    this.#forget();
    this.#ended();
    this.#tabs.postMessage('signed_out');
    throw signedOut();
  }

  #take({ accessToken, accessExpiresAtMs, user }: SignedIn): void {
    localStorage.setItem(SIGNED_IN, 'yes');
    this.#access = { token: accessToken, expiresAtMs: accessExpiresAtMs };
    this.#change({ kind: 'signed_in', user });
  }

  #forget(): void {
    localStorage.removeItem(SIGNED_IN);
    this.#access = null;
  }

  /** A second call that meets the same end changes nothing about why the sign-in is shown. */
  #ended(): void {
    this.#access = null;
    if (this.#state.kind !== 'signed_out')
      this.#change({ kind: 'signed_out', wasSignedIn: this.#state.kind === 'signed_in' });
  }

  #change(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function signedOut(): Problem {
  return new Problem({
    status: 401,
    code: 'unauthenticated',
    title: 'Signed out',
    message: 'Your session has ended. Sign in again to go on.',
  });
}

/** The one session of this page. */
export const session = new Session();
