import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Decision } from '../../../domain/agent.ts';
import { decideAgain, type DecidedBy } from '../../../domain/strategy/decide-again.ts';
import { call } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import { exactMoment } from '../../format/time.ts';
import { sentence, words } from '../../format/text.ts';
import { Card } from '../../ui/card.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { Page } from '../../ui/layout.tsx';
import { Empty, Read, StateDot } from '../../ui/state.tsx';
import { Receipt, type Decision as ShownDecision } from '../agents/decisions.tsx';
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
    <Read of={receipt}>
      {({ decision, verdict }) => (
        <Page
          title={sentence(decision.reason)}
          sub={`${words(decision.agent)}, ${exactMoment(decision.decidedAtMs)}`}
        >
          <Checks verdict={verdict} />
          <Card title={`Receipt ${decision.decisionId}`}>
            <Receipt decision={decision} />
          </Card>
          {verdict.decidedBy === null ? null : <WhatIf of={verdict.decidedBy} />}
        </Page>
      )}
    </Read>
  );
}

function Checks({ verdict: { isChained, decidedBy, said, again } }: { readonly verdict: Verdict }) {
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
                  : `The same code over the recorded inputs comes to another decision: ${again.reason}`}
            </StateDot>
          )}
        </li>
      </ul>
    </Card>
  );
}

/** Changes one recorded number, and shows what would have been decided. */
function WhatIf({ of }: { readonly of: DecidedBy }) {
  const numbers = numbersOf(of.basis);
  const [chosen, setChosen] = useState(0);
  const [text, setText] = useState<string | null>(null);
  const number = numbers[chosen];
  if (number === undefined) return <Empty>There is no number in it that could be changed.</Empty>;
  const value = Number(text ?? number.value);
  const isNumber = text === null || (text.trim() !== '' && Number.isFinite(value));
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
          {numbers.map(({ path }, index) => (
            <option key={path.join(' ')} value={index}>
              {path.join(' › ')}
            </option>
          ))}
        </Select>
        <Field
          label={`It was ${number.value}`}
          inputMode="decimal"
          value={text ?? String(number.value)}
          fault={isNumber ? null : 'a number'}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <p role="status">
        {decision === null ? (
          'These inputs cannot be decided by.'
        ) : (
          <>
            <strong>{words(decision.verdict)}.</strong> {sentence(decision.reason)}
          </>
        )}
      </p>
    </Card>
  );
}

/** Decides by a changed number; null where the rules take no such number. */
function outcomeOf(of: DecidedBy, path: readonly string[], value: number): Decision | null {
  try {
    return decideAgain({ ...of, basis: withNumber(of.basis, path, value) });
  } catch {
    return null;
  }
}
