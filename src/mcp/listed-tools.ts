import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { VenueId } from '../domain/ids.ts';
import { answerSchema, whole, type JsonSchema } from './json-schema.ts';
import type { KeyAccess } from './backend.ts';
import { usualVenue, venuesFor, type PreparedTool } from './prepared-tools.ts';

const CLIENT_REQUEST_ID: JsonSchema = {
  type: 'string',
  description: 'A new id for each new request, such as a UUID; the same to repeat it safely.',
};
const PREVIEW: JsonSchema = {
  type: 'boolean',
  description: 'True: only say what it would do and cost.',
};
const FIELDS: JsonSchema = {
  type: 'string',
  enum: ['all'],
  description: 'All fields, with long ids.',
};
const CURSOR: JsonSchema = { type: 'string', description: 'nextCursor of the page before.' };
/** The states of a call that was put forward. */
const ASKED_OUTCOMES = ['awaiting_confirmation', 'placed', 'refused', 'failed', 'expired'];

/**
 * Returns a tool as it is listed to the clients of a key. Arguments are checked where they go, by
 * the zod their schema was made of, and refused in the service's own words.
 */
export function listedFor(tool: PreparedTool, access: Pick<KeyAccess, 'venues'>): ListedTool {
  const { name, title, description, annotations } = tool;
  const inputSchema = inputOf(tool, venuesFor(tool, access));
  const outputSchema = outputOf(tool);
  // schemas of objects, made of zod's own a moment ago
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema === null ? {} : { outputSchema }),
    annotations,
  } as ListedTool;
}

function inputOf(tool: PreparedTool, venues: readonly VenueId[]): JsonSchema {
  const { takes, venue, hasAll, movesMoney, preview } = tool;
  return whole({
    required: takes.required,
    properties: {
      ...(venue === undefined || venues.length === 0
        ? {}
        : { venue: { type: 'string', enum: venues, default: usualVenue(tool, venues) } }),
      ...takes.properties,
      ...('cursor' in takes.properties ? { cursor: CURSOR } : {}),
      ...(hasAll ? { fields: FIELDS } : {}),
      ...(preview === undefined ? {} : { preview: PREVIEW }),
      ...(movesMoney ? { clientRequestId: CLIENT_REQUEST_ID } : {}),
    },
  });
}

/**
 * Where money moves, the shape of the answer is listed: members that say nothing are left out of
 * it. All other answers say by their names what they are.
 */
function outputOf({ answer, preview, propose }: PreparedTool): JsonSchema | null {
  if (answer?.shape === undefined || preview?.shape === undefined) return null;
  const asked = propose?.shape;
  return whole({
    required: ['outcome', 'untrustedText'],
    properties: {
      outcome: {
        type: 'string',
        enum: ['done', 'preview', ...(asked === undefined ? [] : ASKED_OUTCOMES)],
      },
      replay: {
        type: 'boolean',
        description: 'True: this clientRequestId was used before; shows its state now',
      },
      result: answerSchema(answer.shape),
      preview: answerSchema(preview.shape),
      ...(asked === undefined
        ? {}
        : {
            confirmation: answerSchema(asked),
            confirmUrl: { type: 'string', description: 'Where the user confirms or refuses it' },
            message: { type: 'string' },
          }),
      untrustedText: { type: 'array', items: { type: 'string' } },
    },
  });
}
