import { z } from 'zod';
import { API } from '../../../config/limits/api.ts';
import { MISSED_EVENTS } from '../../../config/limits/missed-events.ts';
import type { UserId } from '../../domain/ids.ts';
import { USER_TOPICS, type UserTopic } from '../../domain/user-topic.ts';
import { ONE_TIME } from '../../ports/market-time.ts';
import { CURSOR, type Missed } from '../../services/missed-events.ts';
import { snapshotOf, tell, transferOut, viewsIn } from '../live/user-views.ts';
import { userRoute, type UserContext } from '../route.ts';
import { agentOut } from '../views/agent.ts';
import { holdingOut } from '../views/holding.ts';
import { notificationOut } from '../views/notification.ts';
import { orderOut } from '../views/order.ts';
import { pageFields } from './fields.ts';

const cursorOut = z.string().meta({
  description: 'A place in the journal, the same over restarts: send it as `since` to go on there.',
  examples: ['5994471a.1842'],
});

const sinceField = z
  .string()
  .regex(CURSOR, 'the cursor of an answer or a message')
  .optional()
  .meta({
    description:
      'The newest `cursor` you have, of an answer here or of a message of `/ws`. Without it you get a snapshot to begin with.',
  });

const topicsField = z
  .string()
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(z.enum(USER_TOPICS, `topics with commas between them: ${USER_TOPICS.join(', ')}`)))
  .optional()
  .meta({ description: 'Topics with commas between them; all when absent.' });

const eventsOut = z
  .object({
    data: z.array(
      z.object({
        topic: z.enum(USER_TOPICS),
        cursor: cursorOut,
        data: z.looseObject({ event: z.string() }).meta({
          description: 'As in a `change` of the topic; what it names is shown as it is now.',
        }),
      }),
    ),
    cursor: cursorOut,
    hasMore: z.boolean().meta({ description: 'True where the next call has more at once.' }),
    tooOld: z.boolean().meta({
      description: 'True where `since` reaches too far back, or is of another journal.',
    }),
    snapshot: z
      .object({
        orders: z.array(orderOut).optional(),
        positions: z.array(holdingOut).optional(),
        agents: z.array(agentOut).optional(),
        notifications: z.array(notificationOut).optional(),
        unread: z.int().optional(),
        transfers: z.array(transferOut).optional(),
      })
      .nullable()
      .meta({
        description: 'What is true now, without `since` and where it is too old; else null.',
      }),
  })
  .meta({ id: 'MissedEvents' });

/** What happened to a user while no client of theirs was connected. */
export const eventRoutes = [
  userRoute({
    family: 'user',
    method: 'GET',
    path: '/api/events',
    budget: 'reads',
    operationId: 'listMissedEvents',
    summary: 'What happened to you since a cursor, oldest first',
    description: `The changes of your own topics of \`/ws\` in the order they happened, each once, for the last ${MISSED_EVENTS.keptMs / 3_600_000} hours. Go on with \`cursor\`, at once while \`hasMore\`: a page may be short, or empty, before the end. A cursor of here is good on \`/ws\`, and the other way round.`,
    query: z.strictObject({ since: sinceField, topics: topicsField, limit: pageFields.limit }),
    output: eventsOut,
    run: (context, { query }) => {
      const { since, topics = USER_TOPICS, limit = API.pageDefault } = query;
      return since === undefined
        ? beginning(context, topics, false)
        : goneOn(context, { since, topics, limit });
    },
  }),
];

/** What is true now, and the place to go on from. */
function beginning(
  { services, userId }: UserContext,
  topics: readonly UserTopic[],
  tooOld: boolean,
): z.input<typeof eventsOut> {
  // moments are written as wall time on the way out, by the schema
  const views = viewsIn(ONE_TIME);
  const cursor = services.missedEvents.newest();
  const parts = topics.map((topic) => snapshotOf(services, { userId, topic }, views));
  return { data: [], cursor, hasMore: false, tooOld, snapshot: Object.assign({}, ...parts) };
}

function goneOn(
  context: UserContext,
  asked: { readonly since: string; readonly topics: readonly UserTopic[]; readonly limit: number },
): z.input<typeof eventsOut> {
  const { services, userId, marketTime } = context;
  const views = viewsIn(marketTime);
  const found = pageOfFacts(context, userId, asked);
  if (found.kind === 'too_old') return beginning(context, asked.topics, true);
  return {
    data: found.events.flatMap(({ seq, topic, event }) => {
      const data = tell(services, event, views);
      return data === null ? [] : [{ topic, cursor: services.missedEvents.cursorOf(seq), data }];
    }),
    cursor: found.cursor,
    hasMore: found.hasMore,
    tooOld: false,
    snapshot: null,
  };
}

/** A page of facts, those of other topics passed over. */
function pageOfFacts(
  { services }: UserContext,
  userId: UserId,
  {
    since,
    topics,
    limit,
  }: { readonly since: string; readonly topics: readonly UserTopic[]; readonly limit: number },
): Missed {
  let found = services.missedEvents.read(userId, { since, topics, limit });
  for (let read = limit; read < MISSED_EVENTS.lookedAtInCall; read += limit) {
    if (found.kind === 'too_old' || !found.hasMore || found.events.length > 0) break;
    found = services.missedEvents.read(userId, { since: found.cursor, topics, limit });
  }
  return found;
}
