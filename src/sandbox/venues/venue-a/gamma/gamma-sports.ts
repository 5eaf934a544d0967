import { json, type FeedAnswer, type FeedRequest } from '../../../feeds/feed-host.ts';
import { pageOf, valuesOf, type PageRules } from './gamma-query.ts';

const MADE_AT = '2026-01-01T00:00:00Z';
const TEAM_PAGES: PageRules = { limitDefault: 20, limitMaximum: 100, by: 'offset' };

/** Sports of the world, all made up: what is played in its markets is decided by chance. */
const SPORTS = [
  {
    id: 1,
    sport: 'chess',
    image: '',
    resolution: '',
    ordering: 'home',
    tags: '1,596',
    series: '',
    createdAt: MADE_AT,
  },
];

const TEAMS = [
  {
    id: 1,
    name: 'Lisbon Rooks',
    league: 'chess',
    record: '3-1',
    logo: '',
    abbreviation: 'lis',
    alias: 'Rooks',
    createdAt: MADE_AT,
    updatedAt: MADE_AT,
  },
  {
    id: 2,
    name: 'Tartu Bishops',
    league: 'chess',
    record: '2-2',
    logo: '',
    abbreviation: 'tar',
    alias: 'Bishops',
    createdAt: MADE_AT,
    updatedAt: MADE_AT,
  },
];

/** Answers the list of sports. */
export function sportsAnswer(): FeedAnswer {
  return json(200, SPORTS);
}

/** Answers the kinds of market there are in sports. */
export function sportsMarketTypesAnswer(): FeedAnswer {
  return json(200, { marketTypes: ['moneyline', 'spreads', 'totals'] });
}

/** Answers a page of teams. */
export function teamsAnswer({ query }: FeedRequest): FeedAnswer {
  const one = (name: string, own: string): boolean => valuesOf(query, name)?.includes(own) ?? true;
  const wanted = TEAMS.filter(
    ({ league, name, abbreviation }) =>
      one('league', league) && one('name', name) && one('abbreviation', abbreviation),
  );
  const page = pageOf(
    wanted.map((team) => ({ id: String(team.id), team, sort: { id: team.id } })),
    query,
    TEAM_PAGES,
  );
  return page.kind === 'refused'
    ? json(422, { type: 'validation error', error: page.reason })
    : json(
        200,
        page.rows.map(({ team }) => team),
      );
}

/** Answers one team; null for an unknown id. */
export function oneTeamAnswer(id: string): FeedAnswer | null {
  const team = TEAMS.find((one) => String(one.id) === id);
  return team === undefined ? null : json(200, team);
}
