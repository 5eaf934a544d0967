import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { flatLevels } from '../adapters/feed-link/levels.ts';
import type { Question } from '../adapters/feed-link/protocol.ts';
import { asId, type TokenId } from '../domain/ids.ts';
import { createSharedQuestions } from '../services/shared-questions.ts';
import type { Channels } from './channels.ts';
import { unreadBooks, unreadPrices, type FeedSources } from './sources.ts';

/**
 * Answers what readers ask, one question to the source for all who ask it at that time. Errors:
 * those of the port; those of `sources.ts` for what this feed does not read.
 */
export function createAnswers(
  sources: FeedSources,
  channels: Pick<Channels, 'correct'>,
): (question: Question) => Promise<unknown> {
  const { clock } = sources;
  const shared = createSharedQuestions({
    clock,
    keptMs: 0,
    keptMaximum: FEED_LINK.questionsKeptMaximum,
  });

  async function priceAt(question: Extract<Question, { kind: 'price_at' }>): Promise<unknown> {
    const { source, asset, atMs, twapSeconds } = question;
    const feed = sources.prices.get(source);
    if (feed === undefined) throw unreadPrices(source);
    const tick = await shared(`price ${source} ${asset} ${atMs} ${twapSeconds}`, () =>
      feed.priceAt(asset, atMs, twapSeconds),
    );
    return tick && { price: tick.price, sourceAtMs: tick.sourceAtMs };
  }

  async function inference({
    asset,
    horizon,
  }: Extract<Question, { kind: 'inference' }>): Promise<unknown> {
    const { value, sourceAtMs, receivedAtMs } = await shared(
      `inference ${asset} ${horizon}`,
      () => sources.inference.latest(asset, horizon),
      sources.inferenceKeptMs,
    );
    return { ...value, sourceAtMs, ageMs: Math.max(0, clock.nowMs() - receivedAtMs) };
  }

  async function snapshot({
    venue,
    tokenId,
  }: Extract<Question, { kind: 'snapshot' }>): Promise<unknown> {
    const source = sources.books.get(venue);
    if (source === undefined) throw unreadBooks(venue);
    const found = await shared(`book ${venue} ${tokenId}`, () =>
      source.snapshot(asId<TokenId>(tokenId)),
    );
    if (found === null) return null;
    // Before its asker hears of it: what follows is sent from the same state.
    channels.correct(venue, found);
    const { marketId, bids, asks, venueAtMs, tickSize, statedE5 } = found;
    return {
      marketId,
      bids: flatLevels(bids),
      asks: flatLevels(asks),
      venueAtMs,
      tickSize,
      ...(statedE5 === undefined ? {} : { statedE5 }),
    };
  }

  return (question) => {
    switch (question.kind) {
      case 'price_at':
        return priceAt(question);
      case 'inference':
        return inference(question);
      case 'snapshot':
        return snapshot(question);
    }
  };
}
