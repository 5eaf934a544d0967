import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { flatLevels } from '../adapters/feed-link/levels.ts';
import type { Question } from '../adapters/feed-link/protocol.ts';
import type { Assessment } from '../domain/farming/assessment.ts';
import { asId, type MarketId, type TokenId } from '../domain/ids.ts';
import type { ScanQuery } from '../ports/market-scan.ts';
import { createSharedQuestions } from '../services/shared-questions.ts';
import type { Channels } from './channels.ts';
import { unreadPrices, unreadVenue, type FeedSources } from './sources.ts';

type Asked<Kind extends Question['kind']> = Extract<Question, { readonly kind: Kind }>;

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
  const pages = createSharedQuestions({
    clock,
    keptMs: FEED_LINK.scanKeptMs,
    keptMaximum: FEED_LINK.scanPagesKeptMaximum,
  });

  const verdicts = createSharedQuestions({
    clock,
    keptMs: FEED_LINK.verdictKeptMs,
    keptMaximum: FEED_LINK.verdictsKeptMaximum,
  });

  async function priceAt(question: Asked<'price_at'>): Promise<unknown> {
    const { source, asset, atMs, twapSeconds } = question;
    const feed = sources.prices.get(source);
    if (feed === undefined) throw unreadPrices(source);
    const tick = await shared(nameOf(question), () => feed.priceAt(asset, atMs, twapSeconds));
    return tick && { price: tick.price, sourceAtMs: tick.sourceAtMs };
  }

  async function inference(question: Asked<'inference'>): Promise<unknown> {
    const { asset, horizon } = question;
    const { value, sourceAtMs, receivedAtMs } = await shared(
      nameOf(question),
      () => sources.inference.latest(asset, horizon),
      sources.inferenceKeptMs,
    );
    return { ...value, sourceAtMs, ageMs: Math.max(0, clock.nowMs() - receivedAtMs) };
  }

  async function snapshot(question: Asked<'snapshot'>): Promise<unknown> {
    const source = at(sources.books, 'books', question.venue);
    const found = await shared(nameOf(question), () =>
      source.snapshot(asId<TokenId>(question.tokenId)),
    );
    if (found === null) return null;
    // Before its asker hears of it: what follows is sent from the same state.
    channels.correct(question.venue, found);
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

  async function round(question: Asked<'round'>): Promise<unknown> {
    const { venue, asset, minutes, startsAtMs } = question;
    const directory = at(sources.rounds, 'rounds', venue);
    return shared(nameOf(question), () => directory.round(asset, minutes, startsAtMs));
  }

  async function scan({ venue, query }: Asked<'scan'>): Promise<unknown> {
    const source = at(sources.scans, 'scan', venue);
    const wide = widened(query);
    return pages(nameOf({ venue, ...wide }), () => source.page(wide));
  }

  async function assess({ question }: Asked<'assess'>): Promise<Assessment> {
    const { assessor } = sources;
    if (assessor === null) return { kind: 'none', gap: 'missing' };
    try {
      return await verdicts(nameOf(question), async () => {
        const assessment = await assessor.assess(question);
        if (assessment.kind === 'none') throw new NoVerdict(assessment);
        return assessment;
      });
    } catch (cause) {
      if (cause instanceof NoVerdict) return cause.assessment;
      throw cause;
    }
  }

  return async (question) => {
    switch (question.kind) {
      case 'price_at':
        return priceAt(question);
      case 'inference':
        return inference(question);
      case 'snapshot':
        return snapshot(question);
      case 'market': {
        const catalogue = at(sources.catalogues, 'markets', question.venue);
        const marketId = asId<MarketId>(question.marketId);
        return shared(nameOf(question), () => catalogue.market(marketId));
      }
      case 'market_of_token': {
        const catalogue = at(sources.catalogues, 'markets', question.venue);
        const tokenId = asId<TokenId>(question.tokenId);
        return shared(nameOf(question), () => catalogue.marketOfToken(tokenId));
      }
      case 'resolution': {
        const catalogue = at(sources.catalogues, 'markets', question.venue);
        const marketId = asId<MarketId>(question.marketId);
        return shared(nameOf(question), () => catalogue.resolution(marketId));
      }
      case 'round':
        return round(question);
      case 'scan':
        return scan(question);
      case 'assess':
        return assess(question);
    }
  };
}

/** A gap is no answer to keep: a failure is shared by those who ask at once, and no longer. */
class NoVerdict extends Error {
  readonly assessment: Assessment;

  constructor(assessment: Assessment) {
    super('no verdict');
    this.assessment = assessment;
  }
}

/** The same question has the same name, whoever asks it. */
function nameOf(question: object): string {
  return JSON.stringify(question);
}

/** Errors: `venue_unavailable` for a venue that this feed does not read. */
function at<T>(sources: ReadonlyMap<string, T>, what: string, venue: string): T {
  const source = sources.get(venue);
  if (source === undefined) throw unreadVenue(what, venue);
  return source;
}

/** Asks for a little more than was asked for, the same for all who ask within a minute. */
function widened(query: ScanQuery): ScanQuery {
  const { endsAfterMs, endsBeforeMs } = query;
  const stepMs = FEED_LINK.scanKeptMs;
  return {
    ...query,
    endsAfterMs: Math.floor(endsAfterMs / stepMs) * stepMs,
    endsBeforeMs: endsBeforeMs === null ? null : Math.ceil(endsBeforeMs / stepMs) * stepMs,
  };
}
