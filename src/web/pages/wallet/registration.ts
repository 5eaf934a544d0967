import type { Input } from '../../api/routes.ts';

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
  service: Service,
  { skills, domains, address }: TypedAbilities,
): Required<Pick<Registration, 'services' | 'skills' | 'domains'>> {
  const able = { skills: slugsIn(skills), domains: slugsIn(domains) };
  const described = address.trim();
  const isAble = able.skills.length + able.domains.length > 0 || described !== '';
  return {
    services: [
      ...(service.value.trim() === '' ? [] : [{ ...service, value: service.value.trim() }]),
      ...(isAble ? [{ type: 'OASF' as const, value: described }] : []),
    ],
    ...able,
  };
}
