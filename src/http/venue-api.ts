import type { VenueId } from '../domain/ids.ts';
import type { VenueTraits } from '../domain/venue.ts';
import type { Route } from './route.ts';

/** The format of ids of one kind at a venue. */
export interface IdShape {
  /** Matches an id, as the source of a regular expression without anchors. */
  readonly pattern: string;
  /** Says what an id is to a caller who sent something else. */
  readonly refusal: string;
  /** Says what is named, where the field does not. */
  readonly description?: string;
}

/** The ids of a venue that callers name. */
export interface VenueIds {
  readonly market: IdShape;
  /** What has an order book of its own. */
  readonly token: IdShape;
  /** What the venue calls an order. */
  readonly order: IdShape;
  /**
   * What a topic names the order book by: a token has its own; of a market it is that of the first
   * outcome, which the other mirrors, and a token names its own there too.
   */
  readonly book: 'token' | 'market';
}

/** What one venue adds to the interface. */
export interface VenueApi {
  readonly venue: VenueId;
  /** Describes the venue's family of calls, in a sentence. */
  readonly description: string;
  readonly ids: VenueIds;
  readonly traits: Pick<VenueTraits, 'shareStepMicros'>;
  /**
   * What fields, and schemas whose fields depend on each other, usually hold, by name: the OpenAPI
   * document shows it.
   */
  readonly examples: Readonly<Record<string, unknown>>;
  /** The market of the examples, in whose place the document shows one that is there. */
  readonly exampleMarketId: string;
  readonly routes: readonly Route[];
}
