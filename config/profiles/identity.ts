import { AppError } from '../../src/domain/errors.ts';
import type { Environment } from '../schema.ts';

/** How people prove who they are, and other services of the house too. */
export interface IdentityPlan {
  /** Who sends one-time codes: nobody, ourselves onto the terminal, or a telephone service. */
  readonly codes: 'none' | 'shown' | TelephoneAccount;
  /** Countries codes are sent to, two letters each. */
  readonly countries: readonly string[];
  /** What other services of the house show; none: they cannot call. */
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

/** Where texts arrive and cost cents: North America, Europe, and a few more. Others are added by their operator, who pays for them. */
const COUNTRIES = 'US,CA,GB,IE,DE,AT,CH,FR,BE,NL,LU,ES,PT,IT,DK,SE,NO,FI,IS,PL,CZ,SK,HU,SI,HR,RO,BG,GR,CY,MT,EE,LV,LT,AU,NZ,JP,KR,SG,HK,TW,IL,AE,IN,BR,MX,AR,CL,ZA';

/** Reads the settings of identity. Errors: `config_invalid` for an internal secret that is short. */
export function readIdentity(environment: Environment, codes: IdentityPlan['codes']): IdentityPlan {
  return {
    codes,
    countries: (environment.PREDICTD_PHONE_COUNTRIES ?? COUNTRIES).split(','),
    internalSecrets: environment.PREDICTD_INTERNAL_SECRET === undefined ? [] : secretsOf(environment.PREDICTD_INTERNAL_SECRET),
  };
}

/** The account codes are sent by; null when there is none. Errors: `config_invalid` when half a credential is given. */
export function readTelephone(environment: Environment): TelephoneAccount | null {
  const { PREDICTD_TWILIO_SERVICE: serviceSid, PREDICTD_TWILIO_ACCOUNT: username, PREDICTD_TWILIO_SECRET: password } = environment;
  const baseUrl = environment.PREDICTD_TWILIO_URL ?? 'https://verify.twilio.com/v2';
  if (serviceSid === undefined && username === undefined && password === undefined) return null;
  if (serviceSid === undefined || username === undefined || password === undefined) {
    throw new AppError('config_invalid', 'PREDICTD_TWILIO_SERVICE, PREDICTD_TWILIO_ACCOUNT and PREDICTD_TWILIO_SECRET belong together; set all three, or none.');
  }
  return { baseUrl, serviceSid, username, password };
}

function secretsOf(text: string): readonly string[] {
  const secrets = text.split(',');
  if (secrets.length > 2 || secrets.some((secret) => secret.length < 32)) {
    throw new AppError('config_invalid', 'PREDICTD_INTERNAL_SECRET must be one secret of at least 32 characters, or two with a comma between them while one replaces the other.');
  }
  return secrets;
}
