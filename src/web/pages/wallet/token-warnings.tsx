import type { Output } from '../../api/routes.ts';

type Warning = Output<'GET /api/web3/search/'>['data'][number]['warnings'][number];

const WORDS: Readonly<Record<Warning, string>> = {
  look_alike: 'goes by the ticker of another token',
  low_liquidity: 'its pool is shallow: a sale may get far less',
  fresh: 'its pool is younger than a day',
  odd_name: 'its name is made to be mistaken',
};

/** What speaks against a token, in words; nothing where nothing is known to. */
export function Warnings({ of }: { readonly of: readonly Warning[] }) {
  if (of.length === 0) return null;
  return <div className="warn">Careful: {of.map((warning) => WORDS[warning]).join('; ')}.</div>;
}
