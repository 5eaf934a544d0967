import type { FieldError } from '../domain/errors.ts';
import type { VenueId } from '../domain/ids.ts';
import { invalid, type Given } from './arguments.ts';
import type { PreparedTool, ToolVenue } from './prepared-tools.ts';

/** A call as far as its ids are looked at. */
interface Named {
  readonly tool: PreparedTool;
  readonly venue: VenueId | null;
  readonly given: Given;
}

/** Arguments that name something of a venue, with the kind of their ids. */
const IDS = [
  ['marketId', 'market'],
  ['tokenId', 'token'],
] as const;

/**
 * Refuses an id that can only be one of another venue, and says of which. Errors:
 * `invalid_request`.
 */
export function assertOwnIds(venues: readonly ToolVenue[], named: Named): void {
  for (const found of foreignIds(venues, named))
    if (found.isSure)
      throw invalid([
        {
          path: `/${found.name}`,
          message: `is an id of ${found.venue}: ${adviceOf(named, found.venue)}`,
        },
      ]);
}

/** Says of an id that was refused that it may be one of another venue; null where it is not. */
export function otherVenueHint(venues: readonly ToolVenue[], named: Named): FieldError | null {
  const [found] = foreignIds(venues, named);
  return found === undefined
    ? null
    : {
        path: `/${found.name}`,
        message: `looks like an id of ${found.venue}: ${adviceOf(named, found.venue)}`,
      };
}

function adviceOf({ tool }: Named, venue: VenueId): string {
  return tool.venues.includes(venue) && tool.venue !== undefined
    ? `call it with venue "${venue}"`
    : `use a tool of ${venue}`;
}

function foreignIds(venues: readonly ToolVenue[], { venue, given }: Named) {
  const own = venues.find((each) => each.venue === venue);
  if (own === undefined) return [];
  return IDS.flatMap(([name, kind]) => {
    const id = given[name];
    if (typeof id !== 'string') return [];
    const fits = ({ ids }: ToolVenue) => matches(ids[kind].pattern, id);
    return venues
      .filter((other) => other !== own && fits(other))
      .map((other) => ({
        name,
        venue: other.venue,
        isOwn: fits(own),
        // the ids of some venues are so loose that those of others pass for them
        isSure: kind === 'market' && !matches(other.ids.market.pattern, own.exampleMarketId),
      }))
      .filter(({ isOwn, isSure }) => isSure || !isOwn);
  });
}

function matches(pattern: string, text: string): boolean {
  return new RegExp(`^(${pattern})$`).test(text);
}
