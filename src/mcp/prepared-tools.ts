import { asId, type VenueId } from '../domain/ids.ts';
import type { JsonValue } from '../domain/json-value.ts';
import type { Route } from '../http/route.ts';
import type { VenueApi } from '../http/venue-api.ts';
import { invalid, joinedSchema, toolArguments, type ToolArguments } from './arguments.ts';
import type { KeyAccess } from './backend.ts';
import type { ObjectSchema } from './json-schema.ts';
import { entriesOf, membersOf } from './rows/row.ts';
import type { Tool } from './tool.ts';

/** The routes a tool calls at one venue, or at none. */
export interface ToolCalls {
  readonly arguments: ToolArguments;
  /** Those of the dry run; null where the tool has none. */
  readonly preview: ToolArguments | null;
  /** Those of what puts the call forward for the person to confirm; null where nothing does. */
  readonly propose: ToolArguments | null;
  /** Shows the state of what was made; null where the first answer is all there is. */
  readonly follow: Route | null;
}

/** A tool with what was derived from its routes. */
export interface PreparedTool extends Tool {
  /** Where it may be called, in the order of the venues; empty for one that is of no venue. */
  readonly venues: readonly VenueId[];
  readonly takes: ObjectSchema;
  /** True where `fields: "all"` tells more. */
  readonly hasAll: boolean;
  readonly movesMoney: boolean;
  /** The calls at a venue; null for a tool that is of none. */
  at(venue: VenueId | null): ToolCalls;
  /** Gives the part of a route's answer that the tool tells. */
  shown(answer: JsonValue, venue: VenueId | null, isAll: boolean): JsonValue;
}

/** What of a venue tools ask: which one it is, and the format of its ids. */
export type ToolVenue = Pick<VenueApi, 'venue' | 'ids' | 'exampleMarketId'>;

/**
 * Derives every tool from the one route table. A tool without its route, or with another scope than
 * it, is a programmer's error.
 */
export function prepareTools(
  tools: readonly Tool[],
  routes: readonly Route[],
): readonly PreparedTool[] {
  return tools.map((tool) => prepare(tool, routes));
}

/** The one entry of a tool that is of no venue, or of one alone. */
const NOWHERE = 'nowhere';

function prepare(tool: Tool, routes: readonly Route[]): PreparedTool {
  const found = new Map<string, ToolCalls>();
  const places = tool.venue === undefined ? [NOWHERE] : venuesOf(tool.operationId, routes);
  for (const place of places) found.set(place, callsAt(tool, routes, place));
  const [first] = found.values();
  if (first === undefined) throw new Error(`invariant broken: ${tool.name} has a route`);
  const all = [...found.values()];
  const { route } = first.arguments;
  return {
    ...tool,
    venues:
      tool.venue !== undefined
        ? places.map((place) => asId<VenueId>(place))
        : tool.onlyVenue === undefined
          ? []
          : [tool.onlyVenue],
    takes: joinedSchema(all.map(({ arguments: taken }) => taken.schema)),
    hasAll: tool.answer?.row !== undefined && tool.answer.hasAll !== false && !route.movesMoney,
    movesMoney: route.movesMoney,
    at(venue) {
      const calls = found.get(tool.venue === undefined ? NOWHERE : (venue ?? tool.venue));
      if (calls === undefined) throw new Error(`invariant broken: ${tool.name} at ${venue}`);
      return calls;
    },
    shown: (answer, venue, isAll) => shownOf(tool, answer, { venue, isAll }),
  };
}

/** The venues with a route whose name begins so, in the order of the table. */
function venuesOf(base: string, routes: readonly Route[]): readonly string[] {
  return routes.filter((route) => isNamed(route, base)).map(({ family }) => family);
}

/** Names of the calls of a venue end in its own suffix, or in nothing. */
function isNamed({ operationId }: Route, base: string): boolean {
  return new RegExp(`^${base}(Venue[A-Z]\\w*)?$`).test(operationId);
}

function callsAt(tool: Tool, routes: readonly Route[], place: string): ToolCalls {
  const routeOf = (operationId: string): Route => {
    const route = routes.find((each) =>
      place === NOWHERE
        ? each.operationId === operationId
        : each.family === place && isNamed(each, operationId),
    );
    if (route === undefined)
      throw new Error(`invariant broken: no route ${operationId} (${place})`);
    return route;
  };
  const route = routeOf(tool.operationId);
  if (route.scope !== tool.scope || route.auth !== 'user' || route.output === null)
    throw new Error(`invariant broken: ${tool.name} fits its route`);
  const { preview, propose, follow } = tool;
  return {
    arguments: toolArguments(tool, route),
    preview: preview === undefined ? null : toolArguments(tool, routeOf(preview.operationId)),
    propose: propose === undefined ? null : toolArguments(tool, routeOf(propose.operationId)),
    follow: follow === undefined ? null : routeOf(follow.operationId),
  };
}

/**
 * Returns the tools a key may call: those of its scopes and venues, and of these the ones it names
 * where it names some.
 */
export function toolsFor<Prepared extends PreparedTool>(
  all: readonly Prepared[],
  access: Pick<KeyAccess, 'scopes' | 'tools' | 'venues'>,
): readonly Prepared[] {
  const { scopes, tools } = access;
  return all.filter(
    (tool) =>
      scopes.includes(tool.scope) &&
      (tools === null || tools.includes(tool.name)) &&
      (tool.venues.length === 0 || venuesFor(tool, access).length > 0),
  );
}

/** Returns where a key may call a tool. */
export function venuesFor(
  { venues }: Pick<PreparedTool, 'venues'>,
  access: Pick<KeyAccess, 'venues'>,
): readonly VenueId[] {
  return venues.filter((venue) => access.venues === null || access.venues.includes(venue));
}

/**
 * Returns the venue a call is for: the one it names, else the tool's own, else the only one left.
 * Errors: `invalid_request` for one that has no such tool, or is not the key's.
 */
export function venueOf(
  tool: PreparedTool,
  access: Pick<KeyAccess, 'venues'>,
  named: JsonValue | undefined,
): VenueId | null {
  if (tool.venue === undefined) return tool.onlyVenue ?? null;
  const venues = venuesFor(tool, access);
  const usual = usualVenue(tool, venues);
  if (named === undefined) return usual;
  const found = venues.find((venue) => venue === named);
  if (found !== undefined) return found;
  throw invalid([{ path: '/venue', message: `must be one of ${venues.join(', ')}` }]);
}

/** The venue of calls that name none. */
export function usualVenue(
  { venue }: Pick<Tool, 'venue'>,
  venues: readonly VenueId[],
): VenueId | null {
  return venues.find((each) => each === venue) ?? venues[0] ?? null;
}

function shownOf(
  { answer = {} }: Tool,
  body: JsonValue,
  { venue, isAll }: { readonly venue: VenueId | null; readonly isAll: boolean },
): JsonValue {
  const { list = 'data', row, drops = [], others: besides, folded } = answer;
  const shape = row === undefined || isAll ? (entry: JsonValue) => entry : row;
  const { [list]: entries, ...others } = membersOf(body);
  if (!Array.isArray(entries)) return shape(body, venue);
  const rows = entriesOf(entries).map((entry) => shape(entry, venue));
  const items = folded === undefined || isAll ? rows : folded(rows);
  // where the list is one part of an answer, the other parts are left out
  if (list !== 'data') return { items };
  if (besides !== undefined && !isAll) return { items, ...membersOf(besides(others, venue)) };
  const kept = Object.entries(others).filter(([name]) => isAll || !drops.includes(name));
  return { items, ...Object.fromEntries(kept) };
}
