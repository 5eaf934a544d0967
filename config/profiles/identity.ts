import { AppError } from '../../src/domain/errors.ts';
import type { Environment } from '../schema.ts';

/** How people prove who they are, and our other services too. */
export interface IdentityPlan {
  /** Who sends one-time codes: none, this process onto the terminal, or a telephone service. */
  readonly codes: 'none' | 'shown' | TelephoneAccount;
  /** Our client at Google; null where that sign-in is off. */
  readonly google: OpenIdAccount | null;
  /** The page that asks for signatures; null where social sign-in is off. */
  readonly social: { readonly domain: string; readonly uri: string } | null;
  /** Countries codes are sent to, two letters each. */
  readonly countries: readonly string[];
  /** What our other services show; none: they cannot call. */
  readonly internalSecrets: readonly string[];
}

/** An account at the telephone service. */
export interface TelephoneAccount {
  readonly baseUrl: string;
  readonly serviceSid: string;
  /** SID of the account or of an API key, and its secret. */
  readonly username: string;
  readonly password: string;
}

/** Us, as an OpenID provider knows us. */
export interface OpenIdAccount {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where browsers are sent back to, as registered there. */
  readonly returnTo: string;
}

/**
 * Where texts arrive and cost cents: North America, Europe, and a few more. Others are added by
 * their operator, who pays for them.
 */
const COUNTRIES =
  'US,CA,GB,IE,DE,AT,CH,FR,BE,NL,LU,ES,PT,IT,DK,SE,NO,FI,IS,PL,CZ,SK,HU,SI,HR,RO,BG,GR,CY,MT,EE,LV,LT,AU,NZ,JP,KR,SG,HK,TW,IL,AE,IN,BR,MX,AR,CL,ZA';

/**
 * Reads the settings of identity. Errors: `config_invalid` for an internal secret that is short.
 */
export function readIdentity(
  environment: Environment,
  { codes, google, social }: Pick<IdentityPlan, 'codes' | 'google' | 'social'>,
): IdentityPlan {
  return {
    codes,
    google,
    social,
    countries: (environment.PREDICTD_PHONE_COUNTRIES ?? COUNTRIES).split(','),
    internalSecrets:
      environment.PREDICTD_INTERNAL_SECRET === undefined
        ? []
        : secretsOf(environment.PREDICTD_INTERNAL_SECRET),
  };
}

/**
 * The account codes are sent by; null without one. Errors: `config_invalid` when half a
 * credential is given.
 */
export function readTelephone(environment: Environment): TelephoneAccount | null {
  const {
    PREDICTD_TWILIO_SERVICE: serviceSid,
    PREDICTD_TWILIO_ACCOUNT: username,
    PREDICTD_TWILIO_SECRET: password,
  } = environment;
  const baseUrl = environment.PREDICTD_TWILIO_URL ?? 'https://verify.twilio.com/v2';
  if (serviceSid === undefined && username === undefined && password === undefined) return null;
  if (serviceSid === undefined || username === undefined || password === undefined) {
    throw new AppError(
      'config_invalid',
      'PREDICTD_TWILIO_SERVICE, PREDICTD_TWILIO_ACCOUNT and PREDICTD_TWILIO_SECRET belong together; set all three, or none.',
    );
  }
  return { baseUrl, serviceSid, username, password };
}

/**
 * Us at Google; null when nothing of it is set. Errors: `config_invalid` when it is set in part.
 */
export function readGoogle(environment: Environment): OpenIdAccount | null {
  const {
    PREDICTD_GOOGLE_CLIENT_ID: clientId,
    PREDICTD_GOOGLE_CLIENT_SECRET: clientSecret,
    PREDICTD_GOOGLE_RETURN_URL: returnTo,
  } = environment;
  if (clientId === undefined && clientSecret === undefined && returnTo === undefined) return null;
  if (clientId === undefined || clientSecret === undefined || returnTo === undefined) {
    throw new AppError(
      'config_invalid',
      'PREDICTD_GOOGLE_CLIENT_ID, PREDICTD_GOOGLE_CLIENT_SECRET and PREDICTD_GOOGLE_RETURN_URL belong together; set all three, or none.',
    );
  }
  return { clientId, clientSecret, returnTo };
}

/**
 * Google's issuer, or another that speaks the same protocol. Errors: `config_invalid` for plain
 * http beyond this machine.
 */
export function openIdIssuer({
  PREDICTD_GOOGLE_ISSUER: issuer = 'https://accounts.google.com',
}: Environment): string {
  const { protocol, hostname } = new URL(issuer);
  if (
    protocol !== 'https:' &&
    !(protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
  ) {
    throw new AppError(
      'config_invalid',
      'PREDICTD_GOOGLE_ISSUER must begin with https://, or be on this machine.',
    );
  }
  return issuer;
}

/**
 * The page that asks for signatures of the social protocol; null when nothing of it is set. Errors:
 * `config_invalid` when it is set in part.
 */
export function readSocial(environment: Environment): IdentityPlan['social'] {
  const {
    PREDICTD_SOCIAL_DOMAIN: domain,
    PREDICTD_SOCIAL_URI: uri,
    PREDICTD_SOCIAL_RPC_URL: rpc,
  } = environment;
  if (domain === undefined && uri === undefined && rpc === undefined) return null;
  if (domain === undefined || uri === undefined || rpc === undefined) {
    throw new AppError(
      'config_invalid',
      'PREDICTD_SOCIAL_DOMAIN, PREDICTD_SOCIAL_URI and PREDICTD_SOCIAL_RPC_URL belong together; set all three, or none.',
    );
  }
  return { domain, uri };
}

function secretsOf(text: string): readonly string[] {
  const secrets = text.split(',');
  if (secrets.length > 2 || secrets.some((secret) => secret.length < 32)) {
    throw new AppError(
      'config_invalid',
      'PREDICTD_INTERNAL_SECRET must be one secret of at least 32 characters, or two with a comma between them while one replaces the other.',
    );
  }
  return secrets;
}
