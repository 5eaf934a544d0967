import type { Input, Output } from '../../api/routes.ts';
import { decimalText, usd } from '../../format/money.ts';
import { isOasfDomain, isOasfSkill } from '../../../domain/oasf.ts';
import { serviceFault } from '../../../domain/registry.ts';

type Registration = Input<'POST /api/web3/registry/register'>['body'];
type Service = Registration['services'][number];

/** What a form says of an agent's abilities, as it was typed. */
export interface TypedAbilities {
  /** Slugs of the OASF taxonomy, with commas or spaces between them. */
  readonly skills: string;
  readonly domains: string;
  /** Where they are described. */
  readonly address: string;
}

/** The slugs in a text, each once. */
export function slugsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((slug) => slug !== ''))];
}

/**
 * The part of an entry that says by what an agent is reached and what it can do. The registry has
 * skills and domains at a service of type OASF, so there is one where either is given.
 */
export function reachOf(
  service: Service | null,
  { skills, domains, address }: TypedAbilities,
): Required<Pick<Registration, 'services' | 'skills' | 'domains'>> {
  const able = { skills: slugsIn(skills), domains: slugsIn(domains) };
  const described = address.trim();
  const isAble = able.skills.length + able.domains.length > 0 || described !== '';
  return {
    services: [
      ...(service === null ? [] : [{ ...service, value: service.value.trim() }]),
      ...(isAble ? [{ type: 'OASF' as const, value: described }] : []),
    ],
    ...able,
  };
}

/**
 * Returns the paths in a request whose faults the form of an entry shows at their fields: of a list
 * the fault of each of its slugs too.
 */
export function shownPaths({ services, skills = [], domains = [] }: Registration): string[] {
  return [
    'agent',
    'name',
    'description',
    ...services.map((_, index) => `services/${index}/value`),
    ...Object.entries({ skills, domains }).flatMap(([name, slugs]) => [
      name,
      ...slugs.map((_, index) => `${name}/${index}`),
    ]),
  ];
}

/** Most that a registration takes of the wallet, in SOL: one that would take more is refused. */
const MOST_SOL = '0.02';

/** What something in the registry costs, in dollars too where the wallet's SOL has a price. */
export function costWords(
  costSol: string | null,
  wallets: { readonly wallets: readonly SolWallet[] } | undefined,
): string {
  const native = wallets?.wallets.find(({ chain }) => chain === 'SOLANA')?.native;
  const price = native?.priceUsd ?? null;
  const inSol = (sol: string): string =>
    price === null ? `${sol} SOL` : `${sol} SOL (${usd(decimalText(Number(sol) * Number(price)))})`;
  const about = costSol === null ? '' : `about ${inSol(costSol)}, `;
  return `${about}at most ${inSol(MOST_SOL)}`;
}

type SolWallet = Pick<Output<'GET /api/web3/view'>['wallets'][number], 'chain'> & {
  readonly native: { readonly priceUsd: string | null } | null;
};

/** Says what is wrong with a service's address as it was typed; null of a good one, and of none. */
export function addressFault(type: string, typed: string): string | null {
  const address = typed.trim();
  return address === '' ? null : serviceFault(type, address);
}

/** Names the first slug of a text that the taxonomy does not have; null where it has all. */
export function slugFault(kind: 'skill' | 'domain', text: string): string | null {
  const isKnown = kind === 'skill' ? isOasfSkill : isOasfDomain;
  const unknown = slugsIn(text).find((slug) => !isKnown(slug));
  return unknown === undefined ? null : `${unknown} is not a ${kind} of the OASF taxonomy`;
}

/** Says what is wrong with a score that was typed; null of a good one, and of none. */
export function scoreFault(text: string): string | null {
  return /^\s*(\d{1,2}|100)?\s*$/.test(text) ? null : 'a whole number from 0 to 100';
}
