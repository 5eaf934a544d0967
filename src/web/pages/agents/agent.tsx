import { type ComponentProps, useState } from 'react';
import type { Problem } from '../../api/problem.ts';
import { useChange, useRead } from '../../api/query.ts';
import { enablingBlocked, STOPPED_ID } from '../../app/all-stopped.ts';
import { percent } from '../../format/money.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Money, Profit } from '../../ui/figures.tsx';
import { Segment, Select } from '../../ui/form.tsx';
import { Page, Split } from '../../ui/layout.tsx';
import { ReadPage } from '../../ui/read-page.tsx';
import { ProblemNote, Read, StateDot } from '../../ui/state.tsx';
import { Term } from '../../ui/term.tsx';
import { Unreconciled } from '../../ui/unreconciled.tsx';
import { type Agent, agentState, STOP_WORDS, strategyWords } from './agent-state.ts';
import { BesidePaper } from './beside-paper.tsx';
import { Calibration } from './calibration.tsx';
import { Decisions } from './decisions.tsx';
import { ResultCurve } from './results.tsx';
import { Round } from './round.tsx';
import { AgentSettings } from './settings.tsx';
import { type Performance, shownPerformance } from './shown-performance.ts';
import { agentName } from '../../format/agent-name.ts';

/** One agent: what it does now, what it decided and why, how it did, and its settings. */
export function AgentPage({ agentId }: { readonly agentId: Agent['agent'] }) {
  const agents = useRead('GET /api/agents/', {});
  return (
    <ReadPage title={agentName(agentId)} of={agents}>
      {({ data }) => {
        const agent = data.find((each) => each.agent === agentId);
        return agent === undefined ? null : <AgentView key={agentId} agent={agent} />;
      }}
    </ReadPage>
  );
}

function AgentView({ agent }: { readonly agent: Agent }) {
  const { dot, word } = agentState(agent);
  return (
    <Page
      title={agentName(agent.agent)}
      sub={
        <>
          <StateDot state={dot}>{word}</StateDot>
          {agent.enabled ? <span>{agent.mode === 'paper' ? 'On paper' : 'Real money'}</span> : null}
          <span>{strategyWords(agent.settings.strategy).name}</span>
          <span>
            <Money amount={agent.settings.avgPositionSize} /> a trade
          </span>
        </>
      }
      actions={agent.enabled ? <StopAgent agent={agent} /> : <EnableAgent agent={agent} />}
    >
      {agent.enabled && agent.degraded.length > 0 ? (
        <Card title="Why it waits" isPadded>
          <ul>
            {agent.degraded.map(({ code, message }) => (
              <li key={code} className="warn">
                {message}
              </li>
            ))}
          </ul>
        </Card>
      ) : null}
      <Split
        main={
          <>
            {agent.asset === null ? null : <Round agent={agent} asset={agent.asset} />}
            <ResultCurve agent={agent} />
            <Calibration agent={agent} />
            <Decisions agentId={agent.agent} />
          </>
        }
        side={
          <>
            <Results agent={agent} />
            <AgentSettings agent={agent} />
          </>
        }
      />
    </Page>
  );
}

function Results({ agent }: { readonly agent: Agent }) {
  const performance = useRead('GET /api/agents/:agent/performance', {
    params: { agent: agent.agent },
  });
  const { results, isPaper } = shownPerformance(agent, performance.data);
  const paper = performance.data?.paper ?? null;
  return (
    <>
      <Card
        title={
          isPaper ? <Term of="paper">Realized profit on paper</Term> : 'Realized profit, real money'
        }
        aside={<Profit amount={results?.realizedPnl ?? null} />}
      >
        <Unreconciled books={performance.data?.books} />
        <Read of={performance} lines={6}>
          {() => (results === null ? null : <Facts rows={resultRows(results)} />)}
        </Read>
      </Card>
      {paper === null || performance.data === undefined ? null : (
        <BesidePaper paper={paper} live={performance.data} isPaper={isPaper} />
      )}
    </>
  );
}

function resultRows(answer: Performance): ComponentProps<typeof Facts>['rows'] {
  return [
    ['With a profit, without', `${answer.wins}, ${answer.losses}`],
    ['Profitable', percent(answer.winRate), 'profitable'],
    ['Orders that filled', percent(answer.fillRate), 'fillRate'],
    ['Open profit', <Profit key="open" amount={answer.unrealizedPnl} />, 'openProfit'],
    ['Largest drawdown', <Money key="fall" amount={answer.maxDrawdown} />, 'drawdown'],
    ['Fees', <Money key="fees" amount={answer.feesUsdc} />],
    ['At risk now', <Money key="risk" amount={answer.exposureUsdc} />, 'atRisk'],
  ];
}

const CHANGED = [
  'GET /api/agents/',
  'GET /api/agents/:agent/performance',
  'GET /api/portfolio/',
] as const;

function EnableAgent({ agent }: { readonly agent: Agent }) {
  const [isAsking, setAsking] = useState(false);
  // Money is chosen, never preselected.
  const [mode, setMode] = useState<Agent['mode']>('paper');
  const [onStop, setOnStop] = useState(agent.onStop);
  const enable = useChange('POST /api/agents/:agent/enable', CHANGED);
  const stop = useRead('GET /api/user/stop', {});
  const block = enablingBlocked(stop.data);
  return (
    <>
      <div>
        <Button
          variant="primary"
          blocked={block === null ? null : block.why}
          onClick={() => setAsking(true)}
        >
          Enable
        </Button>
        {block?.isOwnStop === true ? (
          <div>
            <a className="link" href={`#${STOPPED_ID}`}>
              Resume trading first
            </a>
          </div>
        ) : null}
      </div>
      {isAsking ? (
        <Confirm
          title={`Enable ${agentName(agent.agent)}`}
          action={mode === 'paper' ? 'Enable on paper' : 'Enable with real money'}
          keep="Leave it off"
          isBusy={enable.isPending}
          onConfirm={() =>
            enable.mutate(
              { params: { agent: agent.agent }, body: { mode, onStop } },
              { onSuccess: () => setAsking(false) },
            )
          }
          onClose={() => setAsking(false)}
        >
          <Segment<Agent['mode']>
            label="With what it trades"
            value={mode}
            choices={[
              ['paper', 'On paper'],
              ['live', 'Real money'],
            ]}
            onChange={setMode}
          />
          <p className="muted">
            {mode === 'paper'
              ? 'It decides on the same markets against the same books, and moves no money.'
              : 'It places orders by itself with your money, at the size and within the caps of its settings.'}
          </p>
          <Select
            label="When it is stopped, it"
            value={onStop}
            onChange={(event) => setOnStop(policyOf(event.target.value))}
          >
            {POLICIES.map((policy) => (
              <option key={policy} value={policy}>
                {STOP_WORDS[policy]}
              </option>
            ))}
          </Select>
          <Missing agent={agent} problem={enable.error} />
        </Confirm>
      ) : null}
    </>
  );
}

const POLICIES = ['keep', 'cancel_only', 'close'] as const;

function policyOf(text: string): Agent['onStop'] {
  return POLICIES.find((policy) => policy === text) ?? 'cancel_only';
}

function Missing({ agent, problem }: { readonly agent: Agent; readonly problem: Problem | null }) {
  const missing = problem?.faults ?? agent.missing;
  return (
    <>
      {missing.length === 0 ? null : (
        <ul>
          {missing.map(({ path, message }) => (
            <li key={path} className="warn">
              {message}
            </li>
          ))}
        </ul>
      )}
      {problem === null ? null : <ProblemNote problem={problem} />}
    </>
  );
}

function StopAgent({ agent }: { readonly agent: Agent }) {
  const [isAsking, setAsking] = useState(false);
  const stop = useChange('POST /api/agents/:agent/disable', CHANGED);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Stop agent</Button>
      {isAsking ? (
        <Confirm
          title={`Stop ${agentName(agent.agent)}?`}
          action="Stop agent"
          keep="Keep it on"
          isDanger
          isBusy={stop.isPending}
          onConfirm={() =>
            stop.mutate({ params: { agent: agent.agent } }, { onSuccess: () => setAsking(false) })
          }
          onClose={() => setAsking(false)}
        >
          <p>It decides nothing more until you enable it again. It {STOP_WORDS[agent.onStop]}.</p>
          {stop.error === null ? null : <ProblemNote problem={stop.error} />}
        </Confirm>
      ) : null}
    </>
  );
}
