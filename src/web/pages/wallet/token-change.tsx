import { changePercent } from '../../format/money.ts';

/** A change in percent with its sign. */
export function Change({ percent }: { readonly percent: string | null }) {
  if (percent === null) return <>–</>;
  const size = Number(percent);
  return (
    <span className={size === 0 ? undefined : size > 0 ? 'up' : 'down'}>
      {changePercent(percent)}
    </span>
  );
}
