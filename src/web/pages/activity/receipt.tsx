import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { AGENT_PROFILES, type Decision } from '../../../domain/agent.ts';
import { decideAgain, type DecidedBy } from '../../../domain/strategy/decide-again.ts';
import { call } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import { agentName } from '../../format/agent-name.ts';
import { exactMoment } from '../../format/time.ts';
import { keyWords } from '../../format/key-words.ts';
import { PAGES } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { Page } from '../../ui/layout.tsx';
import { ReadPage } from '../../ui/read-page.tsx';
import { Empty, ProblemNote, StateDot } from '../../ui/state.tsx';
import {
  type Decision as ShownDecision,
  decisionReason,
  verdictWords,
} from '../agents/decision-words.ts';
import { Receipt } from '../agents/decisions.tsx';
import { reasonText } from '../agents/receipt-words.ts';
import { MarketLink } from '../markets/market-link.tsx';
import { checkInclusion, type Inclusion } from './inclusion.ts';
import { fromUnit, inUnit, unitOf } from './number-units.ts';
import { isSame, numbersOf, replay, type Verdict, withNumber } from './replay.ts';
import styles from './activity.module.css';

interface Looked {
  readonly decision: ShownDecision;
  readonly verdict: Verdict;
}

/** One receipt, looked at by this very browser: its hash, and its decision made again. */
export function ReceiptPage({
  agent,
  decisionId,
}: {
  readonly agent: string;
  readonly decisionId: string;
}) {
  const receipt = useQuery<Looked, Problem>({
    queryKey: ['receipt', agent, decisionId],
    queryFn: async ({ signal }) => {
      const answer = await call(
        'GET /api/agents/:agent/decisions/:id/replay',
        { params: { agent, id: decisionId } },
        { signal },
      );
      return { decision: answer.decision, verdict: await replay(answer) };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <ReadPage
      title="Receipt"
      of={receipt}
      list={
        <Link href={PAGES.agents} className="link">
          To the agents and their decisions
        </Link>
      }
    >
      {({ decision, verdict }) => (
        <Page
          title={<ReceiptTitle decision={decision} />}
          sub={
            <>
              <span>{decisionReason(decision)}</span>
              <span>
                {agentName(decision.agent)}, {exactMoment(decision.decidedAtMs)}
              </span>
            </>
          }
        >
          <Checks verdict={verdict}>
            {decision.chain === null ? null : (
              <Anchoring agent={agent} decisionId={decisionId} link={decision.chain} />
            )}
          </Checks>
          <Card title={`Receipt ${decision.decisionId}`}>
            <Receipt decision={decision} />
          </Card>
          {verdict.decidedBy === null ? null : <WhatIf of={verdict.decidedBy} />}
        </Page>
      )}
    </ReadPage>
  );
}

/** What was decided of which outcome of which market. */
function ReceiptTitle({ decision }: { readonly decision: ShownDecision }) {
  const { venue } = AGENT_PROFILES[decision.agent];
  return (
    <>
      {verdictWords(decision)}: <MarketLink venue={venue} marketId={decision.marketId} />
    </>
  );
}

function Checks({
  verdict: { isChained, decidedBy, said, again },
  children,
}: {
  readonly verdict: Verdict;
  readonly children: ReactNode;
}) {
  const isReproduced = decidedBy !== null && isSame(said, again);
  return (
    <Card title="Looked at by this browser" isPadded>
      <ul className={styles['checks']}>
        <li>
          <StateDot state={isChained ? 'on' : 'bad'}>
            {isChained
              ? 'The entry of the journal has the hash that its link states.'
              : 'The entry of the journal does not have the hash that its link states: it was changed.'}
          </StateDot>
        </li>
        {children}
        <li>
          {decidedBy === null ? (
            <StateDot state="off">
              No strategy decided this, or an older one: there is nothing to decide again by.
            </StateDot>
          ) : (
            <StateDot state={isReproduced ? 'on' : 'bad'}>
              {isReproduced
                ? 'The same code over the recorded inputs comes to the same decision.'
                : again === null
                  ? 'The strategy that decided this is no more, so it cannot be decided again.'
                  : `The same code over the recorded inputs comes to another decision: ${reasonText(again)}`}
            </StateDot>
          )}
        </li>
      </ul>
    </Card>
  );
}

/** An anchor is made each minute: an entry that has none yet is looked for so often. */
const ANCHOR_AGAIN_MS = 10_000;

/** Follows the hashes from the receipt's link to the newest root over the whole journal. */
function Anchoring({
  agent,
  decisionId,
  link,
}: {
  readonly agent: string;
  readonly decisionId: string;
  readonly link: NonNullable<ShownDecision['chain']>;
}) {
  const inclusion = useQuery<Inclusion, Problem>({
    queryKey: ['inclusion', agent, decisionId, link.hash],
    queryFn: async ({ signal }) =>
      checkInclusion(
        link,
        await call(
          'GET /api/agents/:agent/decisions/:id/proof',
          { params: { agent, id: decisionId } },
          { signal },
        ),
      ),
    refetchInterval: ({ state }) => (state.data?.kind === 'not_anchored' ? ANCHOR_AGAIN_MS : false),
  });
  return (
    <li>
      {inclusion.data === undefined ? (
        inclusion.error === null ? (
          <StateDot state="off">The hashes up to the newest anchor are being read.</StateDot>
        ) : (
          <ProblemNote problem={inclusion.error} onRetry={() => void inclusion.refetch()} />
        )
      ) : (
        <Anchored {...inclusion.data} seq={link.seq} />
      )}
    </li>
  );
}

function Anchored({ kind, anchor, seq }: Inclusion & { readonly seq: number }) {
  if (kind === 'not_anchored')
    return (
      <StateDot state="late">
        Not anchored yet:{' '}
        {anchor === null
          ? 'the journal has no anchor so far.'
          : `the newest anchor covers ${anchor.entries} entries, and this is entry ${seq}.`}{' '}
        One is made each minute.
      </StateDot>
    );
  return (
    <>
      <StateDot state={kind === 'included' ? 'on' : 'bad'}>
        {kind === 'included'
          ? `Its hash is entry ${seq} under the newest anchor over all ${anchor.entries} entries of the journal, made at ${exactMoment(anchor.atMs)}.`
          : `Its hash is not entry ${seq} under the newest anchor, made at ${exactMoment(anchor.atMs)} over ${anchor.entries} entries: the journal was changed.`}
      </StateDot>
      <div className="faint">
        Anchor {anchor.root.slice(0, 12)}…, which the operator’s log names too{' '}
        <Copy text={`${anchor.entries}:${anchor.root}`} what="the anchor" />
      </div>
    </>
  );
}

/** Changes one recorded number, and shows what would have been decided. */
function WhatIf({ of }: { readonly of: DecidedBy }) {
  const numbers = numbersOf(of.basis);
  const [chosen, setChosen] = useState(0);
  const [text, setText] = useState<string | null>(null);
  const number = numbers[chosen];
  if (number === undefined) return <Empty>There is no number in it that could be changed.</Empty>;
  const unit = unitOf(number, of.basis);
  const was = inUnit(number.value, unit);
  const typed = Number(text ?? was);
  const isNumber = text === null || (text.trim() !== '' && Number.isFinite(typed));
  const value = text === null ? number.value : fromUnit(typed, unit, number.value);
  const decision = isNumber ? outcomeOf(of, number.path, value) : null;
  return (
    <Card title="What if it had seen something else?" isPadded>
      <div className={styles['what']}>
        <Select
          label="Which number"
          value={String(chosen)}
          onChange={(event) => {
            setChosen(Number(event.target.value));
            setText(null);
          }}
        >
          {numbers.map((each, index) => (
            <option key={each.path.join(' ')} value={index}>
              {[keyWords(each.path), unitOf(each, of.basis).words].filter(Boolean).join(', ')}
            </option>
          ))}
        </Select>
        <Field
          label={`It was ${was}${unit.words === '' ? '' : `, ${unit.words}`}`}
          inputMode="decimal"
          value={text ?? was}
          fault={isNumber ? null : 'a number'}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <p className="faint">
        In the journal: {number.path.join(' › ')}: {number.value}
      </p>
      <p role="status">
        {decision === null ? (
          'These inputs cannot be decided by.'
        ) : (
          <>
            <strong>{verdictWords(shownOf(of.agentId, decision))}.</strong> {reasonText(decision)}
          </>
        )}
      </p>
    </Card>
  );
}

/** A decision of a strategy as the verdict of a receipt is written. */
function shownOf(
  agent: DecidedBy['agentId'],
  { verdict, outcome }: Decision,
): Pick<ShownDecision, 'agent' | 'verdict' | 'side'> {
  return { agent, verdict, side: outcome === null ? null : outcome === 0 ? 'yes' : 'no' };
}

/** Decides by a changed number; null where the rules take no such number. */
function outcomeOf(of: DecidedBy, path: readonly string[], value: number): Decision | null {
  try {
    return decideAgain({ ...of, basis: withNumber(of.basis, path, value) });
  } catch {
    return null;
  }
}
