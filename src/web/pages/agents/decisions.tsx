import { useState } from 'react';
import { Link } from 'wouter';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import type { Output } from '../../api/routes.ts';
import { useMarketClock } from '../../app/clock.ts';
import { plainWords } from '../../format/plain-words.ts';
import { exactMoment } from '../../format/time.ts';
import { AGENT_PROFILES } from '../../../domain/agent.ts';
import { agentName } from '../../format/agent-name.ts';
import { AGENT_PAGES, PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Segment } from '../../ui/form.tsx';
import { Empty, ProblemNote, Skeleton } from '../../ui/state.tsx';
import { MarketLink } from '../markets/market-link.tsx';
import type { Agent } from './agent-state.ts';
import { decisionsAgainMs, type ListedDecisions } from './decision-reads.ts';
import {
  type Decision,
  alikeWords,
  decisionReason,
  endWords,
  orderSentence,
  verdictWords,
} from './decision-words.ts';
import { receiptClockNote, spanText } from './receipt-time.ts';
import { criterionText, inputText, receiptName } from './receipt-words.ts';
import styles from './agents.module.css';

/** What an agent decided, newest first; skips of one market in a row are one line. */
export function Decisions({
  agentId,
  title = 'Decisions',
  atMost,
}: {
  readonly agentId: Agent['agent'];
  readonly title?: string;
  /** The newest lines alone, with a link to the agent, whose page has all. */
  readonly atMost?: number;
}) {
  const [which, setWhich] = useState<ListedDecisions>('all');
  const name =
    which === 'all' ? 'GET /api/agents/:agent/decisions' : 'GET /api/agents/:agent/trades';
  const list = useInfiniteQuery<Output<'GET /api/agents/:agent/decisions'>, Problem>({
    queryKey: [name, agentId],
    queryFn: ({ pageParam, signal }) =>
      call(
        name,
        {
          params: { agent: agentId },
          query: typeof pageParam === 'string' ? { cursor: pageParam } : {},
        },
        { signal },
      ),
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => decisionsAgainMs(which, state.data?.pages.length ?? 0),
  });
  const decisions = list.data?.pages.flatMap(({ data }) => data) ?? null;
  return (
    <Card
      title={title}
      aside={
        <Segment<ListedDecisions>
          label="Which decisions"
          value={which}
          choices={[
            ['all', 'All'],
            ['orders', 'Orders only'],
          ]}
          onChange={setWhich}
        />
      }
    >
      <div>
        {decisions === null && list.error === null ? <Skeleton lines={6} /> : null}
        {list.error === null ? null : (
          <ProblemNote problem={list.error} onRetry={() => void list.refetch()} />
        )}
        {decisions !== null && decisions.length === 0 ? (
          <Empty>
            {which === 'all'
              ? 'It has decided nothing yet. It decides on each market of its kind once it is enabled.'
              : 'It has placed no order yet.'}
          </Empty>
        ) : null}
        {groupsOf(decisions ?? [])
          .slice(0, atMost)
          .map(({ newest, before }) => (
            <DecisionRow key={newest.decisionId} decision={newest} before={before} />
          ))}
        {atMost !== undefined ? (
          <p className={styles['more']}>
            <Link href={AGENT_PAGES[agentId] ?? PAGES.agents} className="link">
              All decisions of {agentName(agentId)}
            </Link>
          </p>
        ) : list.hasNextPage ? (
          <div className={styles['more']}>
            <Button
              isSmall
              isBusy={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              Older ones
            </Button>
          </div>
        ) : null}
      </div>
    </Card>
  );
}

interface Group {
  readonly newest: Decision;
  /** How many like it came before it in a row. */
  readonly before: number;
}

/**
 * Puts skips and holds of one market in a row together: forty lines that say "Skip" say nothing.
 */
function groupsOf(decisions: readonly Decision[]): readonly Group[] {
  const groups: Group[] = [];
  for (const decision of decisions) {
    const last = groups.at(-1);
    const isQuiet = decision.verdict === 'skip' || decision.verdict === 'hold';
    if (
      last !== undefined &&
      isQuiet &&
      last.newest.verdict === decision.verdict &&
      last.newest.marketId === decision.marketId
    )
      groups[groups.length - 1] = { ...last, before: last.before + 1 };
    else groups.push({ newest: decision, before: 0 });
  }
  return groups;
}

/** One decision; opened, its whole receipt. */
function DecisionRow({
  decision,
  before = 0,
}: {
  readonly decision: Decision;
  readonly before?: number;
}) {
  const { verdict, decidedAtMs } = decision;
  const colour = verdict === 'enter' ? 'up' : verdict === 'exit' ? 'down' : 'muted';
  return (
    <details className={styles['decision']}>
      <summary>
        <time className="faint" dateTime={new Date(decidedAtMs).toISOString()}>
          {exactMoment(decidedAtMs).split(' ').at(-1)}
        </time>
        <strong className={colour}>{verdictWords(decision)}</strong>
        <span className={styles['reason']}>
          {decisionReason(decision)}
          {before === 0 ? null : <span className="faint"> {alikeWords(before)}</span>}
        </span>
        <span>{endWords(decision)}</span>
      </summary>
      <Receipt decision={decision} />
    </details>
  );
}

/** A receipt: criteria against thresholds, inputs with their ages, and what became of it. */
export function Receipt({ decision }: { readonly decision: Decision }) {
  const { agent, marketId, criteria, inputs, order, outcome, chain } = decision;
  const clockNote = receiptClockNote(useMarketClock().speed);
  return (
    <div className={styles['receipt']}>
      <p>
        Market: <MarketLink venue={AGENT_PROFILES[agent].venue} marketId={marketId} />
      </p>
      {clockNote === null ? null : <p className="faint">{clockNote}</p>}
      {criteria.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th scope="col">Criterion</th>
              <th scope="col">Seen</th>
              <th scope="col">Needed</th>
              <th scope="col">Met</th>
            </tr>
          </thead>
          <tbody>
            {criteria.map(({ name, value, threshold, passed }) => (
              <tr key={name}>
                <td>{receiptName(name)}</td>
                <td>{criterionText({ name }, value)}</td>
                <td>{criterionText({ name }, threshold)}</td>
                <td className={passed ? 'up' : 'down'}>{passed ? '✓ yes' : '✗ no'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {inputs.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th scope="col">Input</th>
              <th scope="col">Value</th>
              <th scope="col">{clockNote === null ? 'Age' : 'Age, market time'}</th>
              <th scope="col">Oldest allowed</th>
            </tr>
          </thead>
          <tbody>
            {inputs.map(({ name, value, ageMs, limitMs }) => (
              <tr key={name}>
                <td>{receiptName(name)}</td>
                <td>{inputText({ name, value })}</td>
                <td className={ageMs === null || ageMs > limitMs ? 'warn' : undefined}>
                  {ageMs === null ? 'absent' : spanText(ageMs)}
                </td>
                <td>{limitMs === 0 ? '–' : spanText(limitMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {order === null ? null : <p>{orderSentence(order, decision.mode)}</p>}
      {outcome.kind === 'refused' ? (
        <p className="warn">
          Not placed: {/* what a person would do about an empty book is not what its agent does */}
          {plainWords(outcome.code === 'no_liquidity' ? null : outcome.code, outcome.message ?? '')}
        </p>
      ) : null}
      <p className="faint">
        {chain === null ? null : `Entry ${chain.seq} of the journal, ${chain.hash.slice(0, 12)}… `}
        <Link
          href={PAGES.receipt
            .replace(':agent', decision.agent)
            .replace(':decisionId', decision.decisionId)}
          className="link"
        >
          Link to this receipt
        </Link>
      </p>
    </div>
  );
}
