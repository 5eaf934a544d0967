import { tokenAmount } from '../../format/money.ts';

/** A change in percent with its sign. */
export function Change({ percent }: { readonly percent: string | null }) {
  if (percent === null) return <>–</>;
  const isUp = !percent.startsWith('-');
  return (
    <span className={Number(percent) === 0 ? undefined : isUp ? 'up' : 'down'}>
      {isUp && Number(percent) !== 0 ? '+' : ''}
      {tokenAmount(percent)} %
    </span>
  );
}
