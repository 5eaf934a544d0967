import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRead } from '../api/query.ts';
import { listedChance } from '../format/listed-chance.ts';
import { marketEnd, marketLine } from '../format/market-name.ts';
import { words } from '../format/text.ts';
import { marketPath } from '../routes.ts';
import { useDaemonNow } from './clock.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/form.tsx';
import { PLACES } from './places.ts';
import styles from './palette.module.css';

const SHOWN_MARKETS = 8;
/** The longest text that the daemon searches by. */
const SEARCH_MAXIMUM_CHARS = 100;

interface Result {
  readonly name: string;
  readonly path: string;
  readonly aside: string;
}

/** Finds markets and pages by a few letters; arrow keys and Enter choose. */
export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const search = text.trim();
  const nowMs = useDaemonNow();
  const markets = useRead(
    'GET /api/markets/',
    { query: { search } },
    { enabled: search.length >= 2 },
  );
  const results: readonly Result[] = [
    ...PLACES.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())).map(
      ({ name, path, keys }) => ({ name, path, aside: keys }),
    ),
    ...(search.length < 2 ? [] : (markets.data?.data ?? []).slice(0, SHOWN_MARKETS)).map(
      ({ venue, marketId, ...market }) => ({
        name: marketLine(market),
        path: marketPath(venue, marketId),
        aside: [
          listedChance(market),
          words(venue),
          ...(market.endsAtMs === null ? [] : [marketEnd(market.endsAtMs, nowMs)]),
        ].join(' · '),
      }),
    ),
  ];
  const at = Math.min(chosen, results.length - 1);
  return (
    <Dialog title="Go to" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <Field
        label="Markets and pages"
        autoFocus
        maxLength={SEARCH_MAXIMUM_CHARS}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setChosen(Math.min(at + 1, results.length - 1));
          else if (event.key === 'ArrowUp') setChosen(Math.max(at - 1, 0));
          else if (event.key === 'Enter') {
            const result = results[at];
            if (result === undefined) return;
            navigate(result.path);
            onClose();
          } else return;
          event.preventDefault();
        }}
      />
      <div className={styles['results']}>
        {results.map(({ name, path, aside }, index) => (
          <Link key={path} href={path} data-chosen={index === at} onClick={onClose}>
            <bdi>{name}</bdi>
            <span className="faint">{aside}</span>
          </Link>
        ))}
        {results.length === 0 ? (
          <p className="muted">
            {search.length < 2
              ? 'No page of that name. Two letters or more search markets too.'
              : 'No page or open market of that name. Try a part of a question.'}
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}
