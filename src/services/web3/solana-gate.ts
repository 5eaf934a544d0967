import { SOLANA_PROXY } from '../../../config/limits/solana.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SolanaAnswer, SolanaNode } from '../../ports/solana.ts';

/** One question in the network's own words. */
export interface SolanaQuestion {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Lets users ask Solana through us: some questions only, each user at a bounded rate. */
export interface SolanaGate {
  /**
   * Answers questions in their order; one that may not be asked gets an error of its own, as a node
   * would give it. Errors: `rate_limited`, `chain_unavailable`.
   */
  ask(userId: UserId, questions: readonly SolanaQuestion[]): Promise<readonly SolanaAnswer[]>;
}

/**
 * Questions that may be asked (web3.md section 8.3), and what is wrong with their arguments; null
 * when nothing is.
 */
const METHODS: Readonly<Record<string, (params: readonly unknown[]) => string | null>> = {
  ...Object.fromEntries(
    [
      'getAccountInfo',
      'getBalance',
      'getBlockHeight',
      'getSlot',
      'getEpochInfo',
      'getLatestBlockhash',
      'isBlockhashValid',
      'getFeeForMessage',
      'getMinimumBalanceForRentExemption',
      'getRecentPrioritizationFees',
      'getTransaction',
      'getTokenAccountBalance',
      'getTokenAccountsByOwner',
      'getTokenSupply',
      'simulateTransaction',
      'sendTransaction',
      'getHealth',
      'getVersion',
    ].map((method) => [method, () => null]),
  ),
  getMultipleAccounts: ([accounts]) => tooMany(accounts, SOLANA_PROXY.accountsMaximum),
  getSignatureStatuses: ([signatures]) => tooMany(signatures, SOLANA_PROXY.signaturesMaximum),
  getSignaturesForAddress: ([, options]) =>
    limitOf(options) > SOLANA_PROXY.signaturesMaximum
      ? `limit: at most ${SOLANA_PROXY.signaturesMaximum}, and stated`
      : null,
};

/** Answers that change slowly are kept for a moment, for everybody. */
const KEPT_MS: Readonly<Record<string, number>> = {
  getLatestBlockhash: SOLANA_PROXY.blockhashKeptMs,
  getEpochInfo: SOLANA_PROXY.epochKeptMs,
};
/** JSON-RPC 2.0, section 5.1. */
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const MINUTE_MS = 60_000;

/** Makes the gate. */
export function createSolanaGate({
  node,
  clock,
}: {
  readonly node: SolanaNode;
  readonly clock: Clock;
}): SolanaGate {
  const calls = createBuckets(clock, SOLANA_PROXY.callsPerMinute);
  const sends = createBuckets(clock, SOLANA_PROXY.sendsPerMinute);
  const kept = new Map<
    string,
    { readonly untilMs: number; readonly answer: Promise<SolanaAnswer> }
  >();

  function answer({ method, params }: SolanaQuestion): Promise<SolanaAnswer> {
    const check = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
    if (check === undefined)
      return Promise.resolve({
        kind: 'error',
        code: METHOD_NOT_FOUND,
        message: `Method not allowed here: ${method.slice(0, 100)}`,
        data: undefined,
      });
    const fault = check(params);
    if (fault !== null)
      return Promise.resolve({
        kind: 'error',
        code: INVALID_PARAMS,
        message: fault,
        data: undefined,
      });
    const keptMs = KEPT_MS[method];
    return keptMs === undefined ? node.ask(method, params) : remembered({ method, params }, keptMs);
  }

  function remembered(question: SolanaQuestion, keptMs: number): Promise<SolanaAnswer> {
    const name = JSON.stringify(question);
    const nowMs = clock.nowMs();
    for (const [old, { untilMs }] of kept) if (untilMs <= nowMs) kept.delete(old);
    const known = kept.get(name);
    if (known !== undefined) return known.answer;
    const asked = node.ask(question.method, question.params);
    kept.set(name, { untilMs: nowMs + keptMs, answer: asked });
    // A failure is not remembered; whoever waits for it hears of it.
    asked.catch(() => kept.delete(name));
    return asked;
  }

  return {
    async ask(userId, questions) {
      calls.take(userId, questions.length);
      sends.take(userId, questions.filter(({ method }) => method === 'sendTransaction').length);
      return Promise.all(questions.map(answer));
    },
  };
}

function tooMany(list: unknown, maximum: number): string | null {
  return Array.isArray(list) && list.length > maximum ? `at most ${maximum} at once` : null;
}

/** Without a limit a node gives a thousand. */
function limitOf(options: unknown): number {
  return typeof options === 'object' &&
    options !== null &&
    'limit' in options &&
    typeof options.limit === 'number'
    ? options.limit
    : Number.POSITIVE_INFINITY;
}

interface Buckets {
  /** Errors: `rate_limited`; nothing is taken then. */
  take(userId: UserId, count: number): void;
}

/** Token buckets by user, in memory; the one unused for longest is forgotten first. */
function createBuckets(clock: Clock, perMinute: number): Buckets {
  const buckets = new Map<UserId, { readonly left: number; readonly atMs: number }>();
  return {
    take(userId, count) {
      if (count === 0) return;
      const atMs = clock.nowMs();
      const before = buckets.get(userId) ?? { left: perMinute, atMs };
      const there = Math.min(
        perMinute,
        before.left + ((atMs - before.atMs) * perMinute) / MINUTE_MS,
      );
      if (there < count) {
        throw new AppError(
          'rate_limited',
          `${perMinute} such questions to Solana are allowed in a minute`,
          { retryable: true, retryAfterMs: Math.ceil(((count - there) * MINUTE_MS) / perMinute) },
        );
      }
      buckets.delete(userId);
      buckets.set(userId, { left: there - count, atMs });
      const [oldest] = buckets.keys();
      if (oldest !== undefined && buckets.size > SOLANA_PROXY.bucketsMaximum)
        buckets.delete(oldest);
    },
  };
}
