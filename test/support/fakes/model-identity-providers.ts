import { createSiwf } from '../../../src/adapters/siwf/siwf.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { OpenIdPerson, OpenIdProvider } from '../../../src/ports/open-id.ts';
import type { SignedMessage, SocialLogin, SocialRelay } from '../../../src/ports/social.ts';
import type { SocialStart } from '../../../src/services/sign-in/federated-identity.ts';
import {
  createSocialPeople,
  type SignerRole,
} from '../../../src/sandbox/identity/social/social-users.ts';

/** An OpenID provider that keeps codes in memory: each is good for one visit, once. */
export interface ModelGoogle extends OpenIdProvider {
  /** What a person who goes to `url` comes back with. */
  visit(url: string, person: OpenIdPerson): string;
}

export function createModelGoogle(): ModelGoogle {
  const codes = new Map<
    string,
    {
      readonly state: string;
      readonly nonce: string;
      readonly verifier: string;
      readonly person: OpenIdPerson;
    }
  >();
  const begun = new Map<
    string,
    { readonly state: string; readonly nonce: string; readonly verifier: string }
  >();
  return {
    async begin(visit) {
      begun.set(visit.state, visit);
      return `https://provider.example/auth?state=${visit.state}`;
    },
    visit(url, person) {
      const state = new URL(url).searchParams.get('state') ?? '';
      const visit = begun.get(state);
      if (visit === undefined) throw new Error('no attempt has this state');
      const code = `code-${codes.size}`;
      codes.set(code, { ...visit, person });
      return `https://predictd.example/sign-in/google?code=${code}&state=${state}`;
    },
    async finish(returnedTo, visit) {
      const { searchParams } = new URL(returnedTo);
      const code = searchParams.get('code') ?? '';
      const kept = codes.get(code);
      if (
        kept === undefined ||
        searchParams.get('state') !== visit.state ||
        kept.nonce !== visit.nonce ||
        kept.verifier !== visit.verifier
      )
        throw new AppError('sign_in_refused', 'not this visit');
      codes.delete(code);
      return kept.person;
    },
  };
}

/** The real check of messages over the sandbox's people, without a wire. */
export interface ModelSocial {
  readonly login: SocialLogin;
  readonly relay: ModelRelay;
  readonly domain: string;
  readonly uri: string;
  /** A person's phone: signs what a start asks for. */
  sign(
    fid: number,
    start: Pick<SocialStart, 'domain' | 'uri' | 'nonce'>,
    role?: SignerRole,
  ): Promise<{ readonly message: string; readonly signature: string }>;
}

/** A relay in memory, and the telephones that open its links. */
interface ModelRelay extends SocialRelay {
  /** How often it was asked about a channel. */
  readonly asked: { count: number };
  /** A person opens the link and signs. */
  approve(link: string, fid: number, role?: SignerRole): Promise<void>;
  /** Its channels end. */
  forget(): void;
}

function createModelRelay(sign: ModelSocial['sign']): ModelRelay {
  const channels = new Map<
    string,
    { readonly terms: Parameters<SocialRelay['open']>[0]; signed: SignedMessage | null }
  >();
  const linkOf = (token: string): string => `https://relay.example/approve?channelToken=${token}`;
  let opened = 0;
  const asked = { count: 0 };
  return {
    asked,
    forget: () => channels.clear(),
    async open(terms) {
      opened += 1;
      const token = `CHANNEL-${opened}`;
      channels.set(token, { terms, signed: null });
      return { token, link: linkOf(token) };
    },
    async signed(token) {
      asked.count += 1;
      const channel = channels.get(token);
      if (channel === undefined) throw new AppError('code_expired', 'no such channel');
      return channel.signed;
    },
    async approve(link, fid, role) {
      const found = [...channels].find(([token]) => linkOf(token) === link);
      if (found === undefined) throw new Error('this link was not given out');
      const [, channel] = found;
      channel.signed = await sign(fid, channel.terms, role);
    },
  };
}

export function createModelSocial(nowMs: () => number): ModelSocial {
  const people = createSocialPeople(5);
  const login = createSiwf({
    speaksFor: async (fid, address) =>
      people.fidOf(String(address)) === Number(fid) ||
      people.isAuthAddress(Number(fid), String(address)),
    hasSigned: async () => false,
  });
  const sign: ModelSocial['sign'] = async (fid, { domain, uri, nonce }, role = 'custody') => {
    const { message, signature } = await people.sign(fid, role, {
      domain,
      uri,
      nonce,
      issuedAt: new Date(nowMs()).toISOString(),
      expiresAt: new Date(nowMs() + 600_000).toISOString(),
    });
    return { message, signature };
  };
  return {
    login,
    relay: createModelRelay(sign),
    domain: 'predictd.example',
    uri: 'https://predictd.example/sign-in/social',
    sign,
  };
}
