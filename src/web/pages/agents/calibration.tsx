import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/routes.ts';
import { percent } from '../../format/money.ts';
import { Card } from '../../ui/card.tsx';
import { Empty, Read } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import type { Agent } from './agent-state.ts';
import { calibrationEmpty } from './empty-words.ts';
import styles from './agents.module.css';

type Answer = Output<'GET /api/agents/:agent/calibration'>;
type Range = Answer['ranges'][number];

/**
 * How often what the signal favoured came, by the strength it stated: on the line, it is a chance.
 */
export function Calibration({ agent }: { readonly agent: Agent }) {
  const calibration = useRead('GET /api/agents/:agent/calibration', {
    params: { agent: agent.agent },
  });
  return (
    <Card title="What the signal stated, and what came">
      <Read of={calibration} lines={6}>
        {(answer) =>
          answer.ended === 0 ? (
            <Empty>{calibrationEmpty(answer, agent)}</Empty>
          ) : (
            <Drawn answer={answer} />
          )
        }
      </Read>
    </Card>
  );
}

function Drawn({ answer: { ranges, ended, error } }: { readonly answer: Answer }) {
  return (
    <>
      <div>
        <Diagram ranges={ranges} ended={ended} />
      </div>
      <p className={styles['aside']}>
        {ended} {ended === 1 ? 'entry' : 'entries'}; on average {percent(error)} away from the line,
        where a stated strength would be a chance. The bars are where the truth lies, 19 times of
        20. Across: strength stated, 0 to 100 %. Up: how often it won, 0 to 100 %.
      </p>
      <Table
        caption="Strength stated, and how often it won"
        rows={ranges}
        keyOf={({ from }) => from}
        columns={[
          { head: 'Stated', cell: ({ stated }) => percent(stated) },
          { head: 'Won', isNumber: true, cell: ({ won }) => percent(won) },
          {
            head: 'Between',
            isNumber: true,
            cell: ({ low, high }) => `${percent(low)} and ${percent(high)}`,
          },
          { head: 'Entries', isNumber: true, cell: ({ count }) => count },
        ]}
      />
    </>
  );
}

/** Units of the drawing; its edges keep room for the dots. */
const SIDE = 100;
const EDGE = 4;
const at = (part: string): number => Number(part) * SIDE;
const up = (part: string): number => SIDE - at(part);

function Diagram({ ranges, ended }: { readonly ranges: readonly Range[]; readonly ended: number }) {
  const words = ranges
    .map(({ stated, won }) => `stated ${percent(stated)}, won ${percent(won)}`)
    .join('; ');
  return (
    <svg
      className={styles['diagram']}
      viewBox={`${-EDGE} ${-EDGE} ${SIDE + 2 * EDGE} ${SIDE + 2 * EDGE}`}
      role="img"
      aria-label={`Of ${ended} entries: ${words}.`}
    >
      <path className={styles['frame']} d={`M0 0V${SIDE}H${SIDE}`} />
      <path className={styles['even']} d={`M0 ${SIDE}L${SIDE} 0`} />
      {ranges.map(({ from, stated, won, low, high }) => (
        <g key={from}>
          <path className={styles['interval']} d={`M${at(stated)} ${up(low)}V${up(high)}`} />
          <circle className={styles['dot']} cx={at(stated)} cy={up(won)} r="2" />
        </g>
      ))}
    </svg>
  );
}
