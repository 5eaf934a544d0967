/**
 * What must come back from a visit at an OpenID provider. All three are chance, and the verifier is
 * a secret.
 */
export interface OpenIdAttempt {
  readonly state: string;
  readonly nonce: string;
  /** The secret behind the code challenge (RFC 7636): 43 to 128 characters. */
  readonly verifier: string;
}

/** A person as the provider knows them. */
export interface OpenIdPerson {
  /** Never changes and is never given to another person; an address may be both. */
  readonly subject: string;
  /**
   * Null unless the provider says that it is verified. Shown, and nothing else: no account is found
   * by it.
   */
  readonly email: string | null;
}

/** Sign-in at an OpenID provider by code flow with state, nonce and PKCE. */
export interface OpenIdProvider {
  /** Where the browser goes. Errors: `sign_in_unavailable` (retryable). */
  begin(visit: OpenIdAttempt): Promise<string>;
  /**
   * Ends a visit with the address the browser came back to: trades its code, once, and checks the
   * provider's word. Errors: `sign_in_refused` when anything about it is not as it must be,
   * `sign_in_unavailable` when the provider did not answer.
   */
  finish(returnedTo: string, visit: OpenIdAttempt): Promise<OpenIdPerson>;
}
