import type { Scheduler } from '../live/scheduler.ts';
import { Problem } from './problem.ts';
import type { Output } from './routes.ts';

type Opened = Output<'POST /api/auth/social/channel'>;
type Status = Output<'POST /api/auth/social/channel/status'>;

/** What a phone has signed, for one visit. */
export interface SocialProof {
  readonly visit: string;
  readonly message: string;
  readonly signature: string;
}

/** How far a request to a user's phone is. */
export type SocialRequestState =
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'waiting';
      /** Opens the request on the phone. */
      readonly link: string;
      /** True while questions are not answered; they go on. */
      readonly isUnanswered: boolean;
    }
  /** It is signed, and handed over. */
  | { readonly kind: 'finishing' }
  | { readonly kind: 'done' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'refused'; readonly problem: Problem };

/**
 * Asks a user's phone to sign, and asks the daemon until it has; returns how to stop that. A
 * question that gets no answer is asked again: the phone may be signing meanwhile.
 */
export function requestSignature({
  open,
  status,
  finish,
  scheduler,
  onState,
}: {
  open(): Promise<Opened>;
  status(visit: string): Promise<Status>;
  /** Hands what was signed over; rejects with a `Problem` where it is not accepted. */
  finish(proof: SocialProof): Promise<void>;
  readonly scheduler: Pick<Scheduler, 'after'>;
  onState(state: SocialRequestState): void;
}): () => void {
  let isStopped = false;
  let cancel = (): void => undefined;
  const show = (state: SocialRequestState): void => {
    if (!isStopped) onState(state);
  };
  const refuse = (error: unknown): void => {
    if (!(error instanceof Problem)) throw error;
    show(error.code === 'code_expired' ? { kind: 'expired' } : { kind: 'refused', problem: error });
  };
  const handOver = async (proof: SocialProof): Promise<void> => {
    show({ kind: 'finishing' });
    try {
      await finish(proof);
      show({ kind: 'done' });
    } catch (error) {
      refuse(error);
    }
  };
  const askLater = (opened: Opened, afterMs = opened.askAfterMs): void => {
    if (!isStopped) cancel = scheduler.after(afterMs, () => void ask(opened));
  };
  const ask = async (opened: Opened): Promise<void> => {
    const { visit, link } = opened;
    try {
      const { message, signature } = await status(visit);
      if (isStopped) return;
      if (message !== null && signature !== null)
        return await handOver({ visit, message, signature });
      show({ kind: 'waiting', link, isUnanswered: false });
      askLater(opened);
    } catch (error) {
      if (!(error instanceof Problem) || !mayPass(error)) return refuse(error);
      show({ kind: 'waiting', link, isUnanswered: true });
      askLater(opened, error.retryAfterMs ?? opened.askAfterMs);
    }
  };
  const begin = async (): Promise<void> => {
    show({ kind: 'opening' });
    try {
      const opened = await open();
      show({ kind: 'waiting', link: opened.link, isUnanswered: false });
      askLater(opened);
    } catch (error) {
      refuse(error);
    }
  };
  void begin();
  return () => {
    isStopped = true;
    cancel();
  };
}

/** No answer, a fault of the service or of the relay, or too many questions. */
function mayPass({ status }: Problem): boolean {
  return status === 0 || status === 429 || status >= 500;
}
