import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import { exactMoment } from '../../format/time.ts';
import { sentence, words } from '../../format/text.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/layout.tsx';
import { Empty, Read } from '../../ui/state.tsx';
import { type Decision, Receipt } from '../agents/decisions.tsx';

/** Pages of a hundred that are looked through for a receipt: there is no call for one alone. */
const PAGES_MAXIMUM = 10;

/** One receipt by its id. */
export function ReceiptPage({
  agent,
  decisionId,
}: {
  readonly agent: string;
  readonly decisionId: string;
}) {
  const receipt = useQuery<Decision | null, Problem>({
    queryKey: ['receipt', agent, decisionId],
    queryFn: ({ signal }) => find(agent, decisionId, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Read
      of={receipt}
      isEmpty={(found) => found === null}
      empty={<Empty>This receipt is not among the newest thousand of its agent.</Empty>}
    >
      {(decision) =>
        decision === null ? null : (
          <Page
            title={sentence(decision.reason)}
            sub={`${words(decision.agent)}, ${exactMoment(decision.decidedAtMs)}`}
          >
            <Card title={`Receipt ${decision.decisionId}`}>
              <Receipt decision={decision} />
            </Card>
          </Page>
        )
      }
    </Read>
  );
}

async function find(
  agent: string,
  decisionId: string,
  signal: AbortSignal,
): Promise<Decision | null> {
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAXIMUM; page += 1) {
    const { data, nextCursor }: { data: readonly Decision[]; nextCursor: string | null } =
      await call(
        'GET /api/agents/:agent/decisions',
        { params: { agent }, query: { limit: '100', ...(cursor === null ? {} : { cursor }) } },
        { signal },
      );
    const found = data.find((decision) => decision.decisionId === decisionId);
    if (found !== undefined) return found;
    if (nextCursor === null) return null;
    cursor = nextCursor;
  }
  return null;
}
