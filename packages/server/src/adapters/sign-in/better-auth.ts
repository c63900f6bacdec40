import { PASSWORD_PROVIDER } from '../../accounts/accounts.ts';
import { hashPassword, verifyPassword } from '../../accounts/password.ts';
import type { Context } from '../../context.ts';
import { getOrCreateSetting } from '../../database/settings.ts';
import type { SetCookies, WebSessions } from '../../login/ports.ts';
import { randomSecret } from '../../secrets.ts';

type SignInParts = Pick<Context, 'db' | 'log' | 'publicUrl'>;
type SignInLibrary = Awaited<ReturnType<typeof loadSignInLibrary>>;

/** In seconds. A session expires after a week without a visit. */
const SESSION = { expiresIn: 7 * 86_400, updateAge: 86_400 };

/**
 * Creates sign-in with better-auth on the service's database. The library is loaded by the first request that needs it,
 * and its HTTP routes are not served: only this port calls it.
 */
export function createWebSessions(context: SignInParts): WebSessions {
  let loading: Promise<SignInLibrary> | undefined;
  function library(): Promise<SignInLibrary> {
    loading ??= loadSignInLibrary(context).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  return {
    read: async (cookieHeader) => {
      if (!cookieHeader) return { signedIn: null, cookies: [] };
      const { api } = await library();
      const { response, headers } = await api.getSession({
        headers: new Headers({ cookie: cookieHeader }),
        returnHeaders: true,
      });
      const signedIn = response && {
        accountId: response.user.id,
        session: response.session.token,
        sessionId: response.session.id,
        signedInAt: (response.session.authenticatedAt ?? response.session.createdAt).getTime(),
      };
      return { signedIn, cookies: headers.getSetCookie() };
    },

    signIn: async (email, password, userAgent) => {
      const { api, isRefusal } = await library();
      try {
        const { headers } = await api.signInEmail({
          body: { email, password },
          headers: new Headers(userAgent === undefined ? {} : { 'user-agent': userAgent }),
          returnHeaders: true,
        });
        return headers.getSetCookie();
      } catch (error) {
        if (isRefusal(error)) return null;
        throw error;
      }
    },

    signInAccount: async (accountId, { providerId, authenticatedAt }, userAgent) => {
      const { api } = await library();
      const { headers } = await api.signInAccount({
        body: { accountId, providerId, authenticatedAt: new Date(authenticatedAt ?? 0) },
        headers: new Headers(userAgent === undefined ? {} : { 'user-agent': userAgent }),
        returnHeaders: true,
      });
      return headers.getSetCookie();
    },

    signOut: async (cookieHeader): Promise<SetCookies> => {
      const { api } = await library();
      const headers = new Headers({ cookie: cookieHeader ?? '' });
      return (await api.signOut({ headers, returnHeaders: true })).headers.getSetCookie();
    },
  };
}

async function loadSignInLibrary({ db, log, publicUrl }: SignInParts) {
  const [{ betterAuth }, { APIError, createAuthEndpoint }, { setSessionCookie }, { z }, secret] =
    await Promise.all([
      import('better-auth'),
      import('better-auth/api'),
      import('better-auth/cookies'),
      import('zod'),
      getOrCreateSetting(db, 'sign_in_secret', randomSecret),
    ]);
  /** better-auth has no way to start a session without a password. Like all its routes, this one is not served. */
  const signInAccount = createAuthEndpoint(
    '/sign-in/account',
    {
      method: 'POST',
      body: z.object({ accountId: z.string(), providerId: z.string(), authenticatedAt: z.date() }),
    },
    async (context) => {
      const { internalAdapter } = context.context;
      const { accountId, ...proof } = context.body;
      const user = await internalAdapter.findUserById(accountId);
      if (!user) throw new APIError('NOT_FOUND');
      const session = await internalAdapter.createSession(user.id, false, proof, true);
      await setSessionCookie(context, { session, user });
      return {};
    },
  );
  const { api } = betterAuth({
    plugins: [{ id: 'known-accounts', endpoints: { signInAccount } }],
    appName: 'Bindery',
    baseURL: publicUrl(),
    secret,
    // With `sqlite` as the type of both databases, times are stored as text and booleans as numbers on both.
    database: { db, type: 'sqlite' },
    telemetry: { enabled: false },
    logger: { level: 'error', log: (_level, message) => log.error(`sign-in: ${message}`) },
    rateLimit: { enabled: false },
    advanced: { cookiePrefix: 'bindery', useSecureCookies: publicUrl().startsWith('https:') },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: {
        hash: hashPassword,
        verify: ({ hash, password }) => verifyPassword(hash, password),
      },
    },
    session: {
      ...SESSION,
      modelName: 'sign_in_sessions',
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      additionalFields: {
        providerId: {
          type: 'string',
          required: false,
          input: false,
          fieldName: 'provider_id',
          defaultValue: PASSWORD_PROVIDER,
        },
        authenticatedAt: { type: 'date', required: false, input: false, fieldName: 'authenticated_at' },
      },
    },
    user: { modelName: 'accounts', fields: { name: 'display_name', createdAt: 'created_at' } },
    account: {
      modelName: 'sign_in_credentials',
      fields: {
        userId: 'user_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
  });
  const isRefusal = (error: unknown): boolean =>
    error instanceof APIError && error.statusCode >= 400 && error.statusCode < 500;
  return { api, isRefusal };
}
