import { eventBeside } from '../format/market-name.ts';

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
