import { useDaemonNow } from '../app/clock.ts';
import { eventBeside, marketEnd } from '../format/market-name.ts';
import { exactMoment } from '../format/time.ts';

/** When a market ends, behind the venue in a row; nothing where that is not known. */
export function MarketEnd({ atMs }: { readonly atMs: number | null }) {
  const nowMs = useDaemonNow();
  if (atMs === null) return null;
  return (
    <>
      {' · '}
      <time dateTime={new Date(atMs).toISOString()} title={exactMoment(atMs)}>
        {marketEnd(atMs, nowMs)}
      </time>
    </>
  );
}

/** What a market asks, with the event it is a part of where the question does not name it. */
export function MarketName({
  question,
  eventTitle,
}: {
  readonly question: string;
  readonly eventTitle: string | null;
}) {
  const event = eventBeside({ question, eventTitle });
  return (
    <>
      <bdi>{question}</bdi>
      {event === null ? null : (
        <div className="muted">
          <bdi>{event}</bdi>
        </div>
      )}
    </>
  );
}
