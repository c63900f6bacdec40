import * as oidc from 'openid-client';
import type { Logger } from 'pino';
import { RECENT_SIGN_IN } from '../../access/operators.ts';
import type { OidcSettings } from '../../configuration/configuration.ts';
import { forbidden, type ServiceError, unavailable } from '../../errors.ts';
import type { Identity, IdentityProvider } from '../../login/ports.ts';

/** Seconds for each request to the provider. */
const TIMEOUT = 10;

/**
 * In seconds. Given a maximum age, a provider reports how old the proof is; this one is too long to make anybody sign
 * in again.
 */
const ANY_AGE = 366 * 86_400;

/** Milliseconds for which the provider's discovery document is cached. */
const REMEMBERED = 3_600_000;

/**
 * Creates a provider configured by discovery: authorization code with PKCE; issuer, audience, expiry, nonce and
 * signature of the ID token are checked. It is first contacted when somebody signs in, so the service starts without
 * it.
 */
export function createOpenIdConnect(settings: OidcSettings, log: Logger): IdentityProvider {
  const { issuer, clientId, clientSecret, name, scopes } = settings;
  let known: { at: number; configuration: Promise<oidc.Configuration> } | undefined;

  function configuration(): Promise<oidc.Configuration> {
    const now = performance.now();
    if (known && now - known.at < REMEMBERED) return known.configuration;
    const discovered = oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: TIMEOUT,
      execute: [
        oidc.enableNonRepudiationChecks,
        // The configuration allows http for the local machine only.
        ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
      ],
    });
    known = { at: now, configuration: discovered };
    discovered.catch(() => {
      known = undefined;
    });
    return discovered;
  }

  async function reached<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw failureOf(error);
    }
  }

  function failureOf(error: unknown): ServiceError {
    if (error instanceof oidc.AuthorizationResponseError) {
      return forbidden(`${name} did not sign you in (${shortened(error.error)}).`);
    }
    log.warn({ err: error }, 'the identity provider could not be used');
    const isRefusal = error instanceof oidc.ResponseBodyError || isUnbelievable(error);
    if (isRefusal) return forbidden(`The response of ${name} could not be verified. Sign in again.`);
    return unavailable(`${name} cannot be reached right now. Try again in a minute.`, 60);
  }

  return {
    name,
    begin: (callback, again) =>
      reached(async () => {
        const checks = {
          state: oidc.randomState(),
          nonce: oidc.randomNonce(),
          verifier: oidc.randomPKCECodeVerifier(),
        };
        const url = oidc.buildAuthorizationUrl(await configuration(), {
          redirect_uri: callback,
          scope: scopes,
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
          code_challenge_method: 'S256',
          ...(again
            ? { prompt: 'login', max_age: String(RECENT_SIGN_IN / 1_000) }
            : { max_age: String(ANY_AGE) }),
        });
        return { url: url.href, checks };
      }),

    finish: (url, { state, nonce, verifier }) =>
      reached(async () => {
        const provider = await configuration();
        const tokens = await oidc.authorizationCodeGrant(provider, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new Error('no ID token');
        const hasUserInfo = provider.serverMetadata().userinfo_endpoint !== undefined;
        const more = hasUserInfo ? await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub) : {};
        return {
          identity: identityOf({ ...more, ...claims }),
          authenticatedAt: claims.auth_time === undefined ? null : claims.auth_time * 1_000,
        };
      }),
  };
}

/** Whether an error of the library means an invalid response rather than a missing one. */
function isUnbelievable(error: unknown): boolean {
  if (!(error instanceof oidc.ClientError)) return false;
  return error.code !== 'OAUTH_TIMEOUT' && error.code !== 'OAUTH_ABORT' && !isHttpFailure(error);
}

/** Whether the response is not one of the protocol, such as the 502 of a proxy. */
function isHttpFailure({ cause }: Error): boolean {
  return cause instanceof Response && cause.status >= 500;
}

function identityOf(claims: Record<string, unknown> & { iss: string; sub: string }): Identity {
  const { iss: issuer, sub: subject, email, email_verified: isVerified, groups } = claims;
  return {
    issuer,
    subject,
    verifiedEmail: isVerified === true ? textOf(email) : null,
    displayName: textOf(claims.name),
    preferredName: textOf(claims.preferred_username),
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function shortened(code: string): string {
  return code.replaceAll(/[^\w-]/g, '').slice(0, 60);
}
