import type { Output } from '../../api/routes.ts';
import { sentence } from '../../format/text.ts';
import type { Step } from '../../ui/progress.tsx';
import { chainName } from './holdings.ts';

type DepositLine = Output<'GET /api/venue_a/bridge/deposits/'>['data'][number];
type Payment = NonNullable<DepositLine['payment']>;
type Swap = Output<'GET /api/web3/exchange/'>['data'][number];
type Withdrawal = Output<'GET /api/venue_a/safe/withdraw/'>['data'][number];
type Launch = Output<'GET /api/web3/memelaunch/'>['data'][number];
type Entry = Output<'GET /api/web3/registry/'>['data'][number];

/** How far something that moves money has come. */
export interface Progress {
  /** Its state in a few words. */
  readonly words: string;
  /** Why it has this state, in a sentence; null where there is nothing to say. */
  readonly reason: string | null;
  readonly steps: readonly Step[];
  /** Takes as long as others of the same kind: over the same way. */
  readonly kind: string;
}

/** How far a state is: so many steps are done, and the next one is awaited or ended. */
interface Standing {
  readonly words: string;
  readonly done: number;
  /** How the step after those done ended; absent where it is awaited. */
  readonly end?: 'failed' | 'returned' | 'unknown';
  /** What is to be said of the step after those done. */
  readonly note?: string;
}

/** When each step was done, as far as it is known, and when the last change was, epoch ms. */
interface Times {
  readonly doneAtMs: readonly (number | null)[];
  readonly changedAtMs: number | null;
}

function progressOf(
  names: readonly string[],
  { words: said, done, end, note }: Standing,
  {
    times,
    kind = '',
    reason = null,
  }: { readonly times: Times; readonly kind?: string; readonly reason?: string | null },
): Progress {
  const steps = names.map((name, index): Step => {
    if (index < done)
      return { name, state: 'done', atMs: times.doneAtMs[index] ?? null, note: null };
    if (index > done) return { name, state: 'ahead', atMs: null, note: null };
    return {
      name,
      state: end ?? 'current',
      atMs: end === undefined ? null : times.changedAtMs,
      note: note ?? null,
    };
  });
  // nothing comes after an end
  return { words: said, reason, kind, steps: end === undefined ? steps : steps.slice(0, done + 1) };
}

const PAYMENT: Readonly<
  Record<Payment['status'], Omit<Standing, 'done'> & { readonly done?: number }>
> = {
  detected: { words: 'seen on its chain', done: 1 },
  processing: { words: 'being confirmed', done: 1 },
  origin_confirmed: { words: 'confirmed on its chain', done: 2 },
  submitted: { words: 'on its way to Polygon', done: 3 },
  arriving: {
    words: 'paid by the bridge, not yet seen on Polygon',
    done: 3,
    note: 'The bridge says that it has paid.',
  },
  unproven: {
    words: 'not proven on Polygon; being looked into',
    done: 3,
    end: 'unknown',
  },
  completed: { words: 'arrived', done: 4 },
  failed: { words: 'failed', end: 'failed' },
  vanished: {
    words: 'its chain took the payment back',
    end: 'returned',
    note: 'Its chain took the payment back.',
  },
};

/** A deposit on its way by the bridge; what came without it is there at once. */
export function depositProgress(line: DepositLine): Progress {
  const { payment, createdAtMs } = line;
  if (payment === null && line.status === 'vanished')
    return progressOf(
      ['Arrived', 'In your balance'],
      { ...PAYMENT.vanished, done: 1 },
      { times: { doneAtMs: [createdAtMs], changedAtMs: null }, reason: line.reason },
    );
  if (payment === null)
    return progressOf(
      ['Arrived in the Safe'],
      { words: 'arrived', done: 1 },
      { times: { doneAtMs: [createdAtMs], changedAtMs: null } },
    );
  const { history, problem, status, chain } = payment;
  const seenAt = (state: Payment['status']) =>
    history.find((past) => past.status === state)?.seenAtMs ?? null;
  const reached = Math.max(1, ...history.map((past) => PAYMENT[past.status].done ?? 0));
  const { done = Math.min(reached, 3), ...standing } = PAYMENT[status];
  const from = chain === null ? 'its chain' : chainName(chain);
  return progressOf(
    [`Seen on ${from}`, `Confirmed on ${from}`, 'Sent on to Polygon', 'Arrived in the Safe'],
    {
      ...standing,
      done,
      ...(payment.reason === null ? {} : { note: payment.reason }),
      ...(problem === null || done === 4 ? {} : { words: 'will not be credited', end: 'failed' }),
    },
    {
      times: {
        doneAtMs: [
          history[0]?.seenAtMs ?? createdAtMs,
          seenAt('origin_confirmed'),
          seenAt('submitted'),
          seenAt('completed'),
        ],
        changedAtMs: history.at(-1)?.seenAtMs ?? null,
      },
      kind: from,
    },
  );
}

const SWAP: Readonly<Record<Swap['state'], Standing>> = {
  queued: { words: 'queued', done: 1 },
  following: { words: 'following', done: 2 },
  completed: { words: 'completed', done: 3 },
  refunded: { words: 'refunded', done: 2, end: 'returned', note: 'What you sold came back.' },
  partial: { words: 'partial', done: 2, end: 'returned', note: 'Another token arrived.' },
  failed: { words: 'failed', done: 1, end: 'failed', note: 'Nothing but fees has moved.' },
  unproven: {
    words: 'unproven',
    done: 2,
    end: 'unknown',
    note: 'Its arrival could not be proven.',
  },
};

/** A swap on one chain, or a bridge to another. */
export function swapProgress({
  sell,
  buy,
  state,
  sentHash,
  createdAtMs,
  updatedAtMs,
  reason,
}: Swap): Progress {
  const [from, to] = [chainName(sell.chain), chainName(buy.chain)];
  const standing = SWAP[state];
  return progressOf(
    ['Asked for', `Sold on ${from}`, `Arrived on ${to}`],
    state === 'queued' && sentHash !== null
      ? { ...standing, note: 'Sent; its chain has not made it final yet.' }
      : standing,
    {
      times: {
        doneAtMs: [
          createdAtMs,
          state === 'following' ? updatedAtMs : null,
          state === 'completed' ? updatedAtMs : null,
        ],
        changedAtMs: updatedAtMs,
      },
      kind: `${from} ${to}`,
      reason,
    },
  );
}

/**
 * What a page says right after a swap was asked for, which stays true: what is not over yet is
 * followed in the list.
 */
export function swapNote({ state }: Pick<Swap, 'state'>): string {
  const { words: said, end, note = '' } = SWAP[state];
  if (state === 'completed') return 'Completed: both sides are proven.';
  return end === undefined
    ? 'It was taken on. The list below says how far it is.'
    : `${sentence(said)}. ${note}`;
}

/** What the progress of one transaction of one's own is made of. */
interface Sent {
  readonly transactionHash: string | null;
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** One transaction: asked for, sent, final. */
function sentProgress(
  end: string,
  standing: Standing,
  { createdAtMs, updatedAtMs, reason }: Sent,
): Progress {
  return progressOf(['Asked for', 'Sent to the chain', end], standing, {
    reason,
    times: {
      doneAtMs: [
        createdAtMs,
        standing.done === 2 && standing.end === undefined ? updatedAtMs : null,
        standing.done === 3 ? updatedAtMs : null,
      ],
      changedAtMs: updatedAtMs,
    },
  });
}

const WITHDRAWAL: Readonly<Record<Withdrawal['state'], Standing>> = {
  reserved: { words: 'reserved', done: 1 },
  sent: { words: 'sent', done: 2 },
  settled: { words: 'settled', done: 3 },
  returned: { words: 'returned', done: 1, end: 'returned', note: 'It is back in your balance.' },
};

/** Money from the Safe to one's own wallet. */
export function withdrawalProgress(of: Withdrawal): Progress {
  return sentProgress('Paid to your wallet', WITHDRAWAL[of.state], of);
}

/** What transfers to others and into the Safe have in common. */
export interface Transferred extends Sent {
  readonly state: 'queued' | 'sent' | 'settled' | 'failed';
}

const TRANSFER: Readonly<Record<Transferred['state'], Standing>> = {
  queued: { words: 'waiting here', done: 1 },
  sent: { words: 'on its way', done: 2 },
  settled: { words: 'arrived, final', done: 3 },
  failed: {
    words: 'failed: nothing but fees has moved',
    done: 1,
    end: 'failed',
    note: 'Nothing but fees has moved.',
  },
};

/** A transfer to others, or into the Safe. */
export function transferProgress(of: Transferred): Progress {
  return sentProgress('Arrived, final', TRANSFER[of.state], of);
}

/** Written to a chain and proven to be there; waiting and being sent are one state. */
function writtenProgress(end: string, of: Launch | Entry): Progress {
  const standing: Standing =
    of.state === 'queued'
      ? { words: 'on its way', done: of.transactionHash === null ? 1 : 2 }
      : of.state === 'failed'
        ? {
            words: 'failed: nothing but a fee has left',
            done: 1,
            end: 'failed',
            note: 'Nothing but a fee has left.',
          }
        : { words: of.state, done: 3 };
  return sentProgress(end, standing, of);
}

/** The launch of a token. */
export function launchProgress(of: Launch): Progress {
  return writtenProgress('Launched', of);
}

/** An entry in the registry, or feedback there. */
export function entryProgress(of: Entry): Progress {
  return writtenProgress('Recorded', of);
}

/** Reports whether every step is done. */
export function isDone({ steps }: Pick<Progress, 'steps'>): boolean {
  return steps.every(({ state }) => state === 'done');
}

/** Reports whether a step is awaited. */
export function isUnderWay({ steps }: Pick<Progress, 'steps'>): boolean {
  return steps.some(({ state }) => state === 'current');
}

/** Fewer that came to their end say nothing of what is usual. */
const USUAL_FROM = 2;

/** The middle of how long those of a kind took from their first step to their last, ms; or null. */
export function usualMs(all: readonly Progress[], kind: string): number | null {
  const took = all
    .filter((each) => each.kind === kind && each.steps.length > 1 && isDone(each))
    .flatMap(({ steps }) => {
      const [from, to] = [steps[0]?.atMs ?? null, steps.at(-1)?.atMs ?? null];
      return from === null || to === null ? [] : [to - from];
    })
    .toSorted((a, b) => a - b);
  return took.length < USUAL_FROM ? null : (took[Math.floor(took.length / 2)] ?? null);
}
